//! Policy pack for chats (Telegram, `WhatsApp`, Discord): the chat, group or number receives; links that can
//! carry data out (the chat fetches them for a preview) are asked about.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{link as links, mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[
    include_str!("../tables/discord.txt"),
    include_str!("../tables/telegram-chigwell.txt"),
    include_str!("../tables/whatsapp-lharries.txt"),
    include_str!("../tables/whatsapp-pypi.txt"),
];

/// The policy.
#[derive(Debug)]
pub struct Chat;

impl Policy for Chat {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], _: &()) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        // Discord links no address without its scheme.
        let find = if call.tool().starts_with("discord_") { links::links } else { links::with_bare };
        match call.tool() {
            "update_profile" => {
                for (pointer, _) in
                    ["/first_name", "/last_name", "/about"].iter().flat_map(|at| call.leaves(at))
                {
                    judgement
                        .push(Finding::ask("public_profile", "everybody can read the profile").at(pointer));
                }
            }
            "set_profile_photo" | "upload_file" => {
                let text = "the file leaves this machine, and the call does not say to whom";
                judgement.push(Finding::ask("file_leaves", text).at("/file_path"));
                mail::hidden_files(call, &["/file_path"], &mut judgement);
            }
            "send_file" | "send_album" | "send_voice" | "send_sticker" | "send_audio_message" => {
                let files = ["/file_path", "/file_paths", "/media_path"];
                mail::hidden_files(call, &files, &mut judgement);
                links::asked(call, &["/caption"], find, &mut judgement);
            }
            "edit_chat_photo" => mail::hidden_files(call, &["/file_path"], &mut judgement),
            _ => {
                let said = ["/message", "/text", "/new_text", "/title", "/content", "/parameters"];
                links::asked(call, &said, find, &mut judgement);
            }
        }
        Ok(judgement)
    }
}

export_policy!(Chat);

#[cfg(test)]
mod tests;

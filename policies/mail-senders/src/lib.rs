//! Policy pack for servers that send mail, messages and calls (IMAP and SMTP, `SendGrid`, Resend, Twilio):
//! who receives is read as a mail server would read it; where a send has two steps, the one that fixes the
//! receivers is judged.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{link as links, mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[
    include_str!("../tables/mail-imap-smtp.txt"),
    include_str!("../tables/resend.txt"),
    include_str!("../tables/sendgrid-secure.txt"),
    include_str!("../tables/twilio.txt"),
];

/// The policy.
#[derive(Debug)]
pub struct MailSenders;

impl Policy for MailSenders {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &()) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        match call.tool() {
            "send_email" | "reply_to_email" | "preview_email" | "send-email" | "send-batch-emails" => {
                mail::headers(call, HEADERS, &mut judgement);
                mail::receivers(call, RECEIVERS, destinations, &mut judgement);
                mail::hidden_files(call, FILES, &mut judgement);
                attached(call, destinations, &mut judgement);
                mail::reply_all(call, "/replyToAll", &mut judgement);
            }
            "create-automation" | "update-automation" => {
                links::add(call, &["/workflow"], destinations, &mut judgement);
            }
            "manage-events" => managed(call, &mut judgement),
            tool if tool.starts_with("TwilioApiV2010--") => phone(call, destinations, &mut judgement),
            _ => {}
        }
        Ok(judgement)
    }
}

/// Arguments that become header lines.
const HEADERS: &[&str] = &[
    "/to",
    "/cc",
    "/bcc",
    "/subject",
    "/from_email",
    "/from_name",
    "/reply_to",
    "/from",
    "/replyTo",
    "/emails/*/to",
    "/emails/*/cc",
    "/emails/*/bcc",
    "/emails/*/subject",
    "/emails/*/from",
    "/emails/*/replyTo",
];

const RECEIVERS: &[&str] = &[
    "/to",
    "/cc",
    "/bcc",
    "/reply_to",
    "/replyTo",
    "/emails/*/to",
    "/emails/*/cc",
    "/emails/*/bcc",
    "/emails/*/replyTo",
];

const FILES: &[&str] =
    &["/attachments/*/path", "/attachments/*/filePath", "/emails/*/attachments/*/filePath"];

/// Attachments that are plain texts: files, or addresses that the server fetches.
fn attached(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, text) in call.leaves("/attachments") {
        let plain = pointer.split('/').skip(2).all(|part| part.parse::<usize>().is_ok());
        if text.contains("://") && (plain || pointer.ends_with("/path") || pointer.ends_with("/filePath")) {
            mail::add(judgement, destinations, text, Kind::Url, &pointer);
        } else if plain {
            mail::hidden_files(call, &[&pointer], judgement);
        }
    }
}

/// Event definitions: what removes one is asked about, and what is not known.
fn managed(call: &Call<'_>, judgement: &mut Judgement) {
    match call.text("/action").map(|action| action.trim().to_ascii_lowercase()).as_deref() {
        Some("list" | "get" | "create" | "update") => {}
        Some("remove" | "delete") => {
            judgement.push(Finding::ask("removed", "an event definition would be removed").at("/action"));
        }
        _ => judgement
            .push(Finding::ask("unknown_action", "the action is none that this pack knows").at("/action")),
    }
}

/// What a call says and whom it reaches may stand inside of its own little program.
fn phone(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    links::add(call, &["/Twiml"], destinations, judgement);
    for (pointer, text) in call.leaves("/Twiml") {
        for number in links::phones(&text) {
            mail::add(judgement, destinations, number, Kind::Phone, &pointer);
        }
    }
    // The number through which a caller presents itself, and where SIP calls go.
    for (pointer, text) in call.leaves("/To") {
        if text.trim_start().to_ascii_lowercase().starts_with("sip:") {
            mail::add(judgement, destinations, text, Kind::Url, &pointer);
        }
    }
}

export_policy!(MailSenders);

#[cfg(test)]
mod tests;

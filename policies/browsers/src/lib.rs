//! Policy pack for browsers that an agent drives: the address that is opened is a destination; text, files
//! and keys go to whatever page is open, which no argument names, so a person is asked; so is a script, and
//! the links inside of it are destinations.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{find, link, mail, rendered, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[
    include_str!("../tables/browserbase.txt"),
    include_str!("../tables/browsermcp.txt"),
    include_str!("../tables/chrome-devtools.txt"),
    include_str!("../tables/playwright.txt"),
    include_str!("../tables/puppeteer-ref.txt"),
];

/// The policy.
#[derive(Debug)]
pub struct Browsers;

impl Policy for Browsers {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &()) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        match call.tool() {
            "browser_type" | "browser_fill_form" | "puppeteer_fill" | "fill" | "fill_form" | "type_text" => {
                typed(call, &mut judgement);
            }
            "browser_press_key" | "press_key" => pressed(call, &mut judgement),
            "browser_handle_dialog" | "handle_dialog" => dialog(call, &mut judgement),
            "browser_file_upload" | "browser_drop" | "upload_file" => uploaded(call, &mut judgement),
            "browser_highlight" | "browser_video_show_actions" => {
                styled(call, destinations, &mut judgement);
            }
            "browserbase_stagehand_act" => {
                let text =
                    "what is done depends on the page that is open, and the page may receive what is written";
                judgement.push(Finding::ask("acts_on_page", text).at("/action"));
            }
            _ => {
                let scripts = [
                    "/function",
                    "/code",
                    "/script",
                    "/prompt",
                    "/initScript",
                    "/launchOptions",
                    "/extraHttpHeaders",
                ];
                link::add(call, &scripts, destinations, &mut judgement);
            }
        }
        Ok(judgement)
    }
}

/// What is typed, as a whole; where it stands in another form than the tool's own, the call as a whole.
fn typed(call: &Call<'_>, judgement: &mut Judgement) {
    let at = ["/text", "/value", "/fields", "/elements"].into_iter().find(|at| text::is_filled(call.get(at)));
    let text = "the text goes to the page that is open now, which the call does not name";
    judgement.push(Finding::ask("typed_into_page", text).at(at.unwrap_or_default()));
}

/// Keys that write nothing.
const KEYS: [&str; 27] = [
    "alt",
    "arrowdown",
    "arrowleft",
    "arrowright",
    "arrowup",
    "backspace",
    "control",
    "delete",
    "end",
    "enter",
    "escape",
    "f1",
    "f2",
    "f3",
    "f4",
    "f5",
    "f11",
    "f12",
    "home",
    "insert",
    "meta",
    "pagedown",
    "pageup",
    "shift",
    "space",
    "tab",
    "return",
];

/// A key with a name carries nothing; letters, one after the other, may carry anything.
fn pressed(call: &Call<'_>, judgement: &mut Judgement) {
    let named = |key: &str| KEYS.contains(&key.trim().to_ascii_lowercase().as_str());
    if !call.text("/key").is_some_and(named) {
        let text = "the key goes to the page that is open now, and keys can spell what they please";
        judgement.push(Finding::ask("typed_into_page", text).at("/key"));
    }
}

fn dialog(call: &Call<'_>, judgement: &mut Judgement) {
    let refused = call.flag("/accept") == Some(false)
        || call.text("/action").is_some_and(|action| action.eq_ignore_ascii_case("dismiss"));
    if !refused {
        let text = "the page's question would be answered with yes";
        let at = if text::is_filled(call.get("/promptText")) { "/promptText" } else { "" };
        judgement.push(Finding::ask("dialog_accepted", text).at(at));
    }
}

/// A style can fetch: `url(...)`, with its letters escaped too, and addresses relative to the page that is
/// open.
fn styled(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, style) in call.leaves("/style") {
        let lower = style.to_ascii_lowercase();
        // `-image-set(` of an older browser too, but no `linear-gradient(` of a `background-image`.
        let fetching = ["url(", "image(", "image-set(", "src(", "@import", "\\"];
        if fetching.iter().any(|word| find(&lower, word).is_some()) {
            for address in rendered::addresses(&style) {
                mail::add(judgement, destinations, address, Kind::Url, &pointer);
            }
            let text = "the style fetches an address, and what is put into that address leaves with it";
            judgement.push(Finding::ask("style_fetches", text).at(pointer));
        }
    }
}

fn uploaded(call: &Call<'_>, judgement: &mut Judgement) {
    let places = ["/paths", "/filePaths", "/filePath", "/data"];
    let filled = places.into_iter().find(|at| text::is_filled(call.get(at))).unwrap_or_default();
    // An upload without files only closes the page's dialogue.
    if filled.is_empty() && call.tool() == "browser_file_upload" {
        return;
    }
    let text = "the files go to the page that is open now, which the call does not name";
    judgement.push(Finding::ask("uploaded_to_page", text).at(filled));
    mail::hidden_files(call, &["/paths", "/filePaths", "/filePath"], judgement);
}

export_policy!(Browsers);

#[cfg(test)]
mod tests;

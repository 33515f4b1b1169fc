//! A PDF is made of markdown and HTML in a browser, which fetches what stands in it while it draws.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{mail, rendered};

pub(crate) fn judge(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, text) in ["/content", "/options"].iter().flat_map(|at| call.leaves(at)) {
        // Of a text what is drawn, of the options everything: a style sheet is an address and nothing else.
        let fetched = if pointer.starts_with("/options") { rendered::addresses } else { rendered::fetched };
        for address in fetched(&text) {
            mail::add(judgement, destinations, address, Kind::Url, &pointer);
        }
        if rendered::is_active(&text) || pointer.split('/').any(|name| SETS.contains(&name)) {
            let said = "code or a hidden style would run while the PDF is drawn, and can reach addresses that \
                stand nowhere";
            judgement.push(Finding::ask("code_in_pdf", said).at(pointer));
        } else if pointer.split('/').any(|name| STYLES.contains(&name)) && hides(&text) {
            let said = "the style is written so that what it fetches cannot be read";
            judgement.push(Finding::ask("code_in_pdf", said).at(pointer));
        } else if begins_with_settings(&text) {
            // The converter takes settings from there, the program that it starts among them.
            let said = "settings at the head of the text can make the converter load and run what they name";
            judgement.push(Finding::ask("settings_in_text", said).at(pointer));
        }
    }
}

/// Settings of the converter that run or load something.
const SETS: [&str; 5] = ["script", "launch_options", "devtools", "config_file", "marked_extensions"];

/// Settings that are styles.
const STYLES: [&str; 2] = ["css", "stylesheet"];

fn hides(style: &str) -> bool {
    style.contains('\\') || style.to_ascii_lowercase().contains("data:")
}

/// Whether the converter would read settings: a `---`, the name of a language perhaps, and lines of `key: value`.
/// Without a second `---` it takes the whole text for them. A text that begins with words, as one behind a rule
/// does, is a value without a key there.
fn begins_with_settings(text: &str) -> bool {
    let text = text.trim_start_matches(['\u{feff}', '\n', '\r', ' ']);
    let Some(rest) = text.strip_prefix("---").filter(|rest| !rest.starts_with('-')) else { return false };
    let (language, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let first = rest.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let is_key = |line: &str| {
        line.ends_with(':')
            || line.contains(": ")
            || line.contains(":\t")
            || line.starts_with(['{', '?', '&', '"', '\'', '%'])
            || line.starts_with('!') && !line.starts_with("![")
    };
    !language.trim().is_empty() || first.is_some_and(is_key)
}

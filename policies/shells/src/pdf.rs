//! A PDF is made of markdown and HTML in a browser, which fetches what stands in it while it draws.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{mail, rendered};

pub(crate) fn judge(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, text) in ["/content", "/options"].iter().flat_map(|at| call.leaves(at)) {
        for address in rendered::addresses(&text) {
            mail::add(judgement, destinations, address, Kind::Url, &pointer);
        }
        if rendered::is_active(&text) || pointer.split('/').any(|name| SETS.contains(&name)) {
            let said = "code would run while the PDF is drawn, and can reach addresses that stand nowhere";
            judgement.push(Finding::ask("code_in_pdf", said).at(pointer));
        } else if text.trim_start_matches(['\u{feff}', '\n', '\r', ' ']).starts_with("---") {
            // The converter takes settings from there, the program that it starts among them.
            let said = "settings at the head of the text can make the converter load and run what they name";
            judgement.push(Finding::ask("settings_in_text", said).at(pointer));
        }
    }
}

/// Settings of the converter that run or load something.
const SETS: [&str; 5] = ["script", "launch_options", "devtools", "config_file", "marked_extensions"];

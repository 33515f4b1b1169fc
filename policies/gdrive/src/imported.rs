//! What a file brings along when Google makes a document of it: pictures are fetched, and formulas fetch.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{formula, link, mail, rendered};

pub(crate) fn judge(call: &Call<'_>, destinations: &[Destination]) -> Judgement {
    let mut judgement = Judgement::new();
    let of_base64 =
        call.leaves("/base64_content").into_iter().filter_map(|(at, text)| Some((at, decoded(&text)?)));
    for (pointer, text) in call.leaves("/content").into_iter().chain(of_base64) {
        if formula::fetches(&text) && is_table(call) {
            for address in link::links(&text) {
                mail::add(&mut judgement, destinations, address, Kind::Url, &pointer);
            }
            let said =
                "a formula in the table fetches an address, and what is put into that address leaves with it";
            judgement.push(Finding::ask("formula_fetches", said).at(pointer));
        } else if is_drawn(call) {
            for address in rendered::fetched(&text) {
                mail::add(&mut judgement, destinations, address, Kind::Url, &pointer);
            }
        }
    }
    judgement
}

/// A file that stays as it is fetches nothing.
fn is_drawn(call: &Call<'_>) -> bool {
    let types = ["/mime_type", "/content_mime_type", "/source_format"];
    match call.tool() {
        "create_drive_file" => {
            types.iter().any(|at| call.texts(at).iter().any(|text| text.contains("google-apps")))
        }
        tool => tool != "import_to_google_sheets",
    }
}

fn is_table(call: &Call<'_>) -> bool {
    match call.tool() {
        "import_to_google_sheets" => true,
        "import_to_google_doc" | "import_to_google_slides" => false,
        _ => is_drawn(call) && !is_written(call),
    }
}

/// Where a document or slides are made, a formula is words.
fn is_written(call: &Call<'_>) -> bool {
    call.tool() == "create_drive_file"
        && call.text("/mime_type").is_some_and(|to| {
            to == "application/vnd.google-apps.document" || to == "application/vnd.google-apps.presentation"
        })
}

/// The text in base64, of either alphabet; `None` where a container (a ZIP, an old office file) is in it.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut bits, mut count) = (0_u32, 0_u32);
    for letter in text.bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            let [.., byte] = (bits >> count).to_be_bytes();
            bytes.push(byte);
        }
    }
    let is_container = bytes.starts_with(b"PK") || bytes.starts_with(&[0xd0, 0xcf]);
    // Without its zeros, a text in UTF-16 is one that can be read.
    bytes.retain(|byte| *byte != 0);
    (!is_container).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

//! Addresses that Notion's servers fetch: pictures, files and embedded pages, at any depth of blocks.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{link, rendered};

/// JSON texts inside of JSON texts that are followed.
const DEPTH: usize = 8;

/// Every scalar at or inside of this one. The server takes a text that is JSON for what it says, however deep
/// the text itself stands.
fn inside(pointer: &str, text: String, depth: usize, found: &mut Vec<(String, String)>) {
    let parsed = if is_json_like(&text) { text.trim().parse::<Value>().ok() } else { None };
    match parsed {
        Some(value) if depth > 0 => {
            for (inner, text) in Call::new("", "", value).leaves("") {
                inside(&format!("{pointer}{inner}"), text, depth.saturating_sub(1), found);
            }
        }
        _ => found.push((pointer.to_owned(), text)),
    }
}

fn is_json_like(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// What is fetched of one argument.
pub(crate) fn fetched(tool: &str, pointer: &str, text: String) -> Vec<String> {
    let mut scalars = Vec::new();
    inside(pointer, text, DEPTH, &mut scalars);
    let of = |(pointer, text): (String, String)| match tool {
        // A text that is looked for is not written.
        "API-update-page-markdown" if pointer.ends_with("/old_str") => Vec::new(),
        "API-update-page-markdown" => rendered::fetched(&text),
        _ if is_fetched(&pointer) || is_whole(&pointer) && text.contains("://") => vec![text],
        // Blocks that nobody could read but the server perhaps; words are words.
        _ if is_json_like(&text) && !pointer.ends_with("/content") => link::links(&text),
        _ => Vec::new(),
    };
    scalars.into_iter().flat_map(of).collect()
}

/// Arguments that are an address where they are a plain text.
fn is_whole(pointer: &str) -> bool {
    matches!(pointer, "/icon" | "/cover")
}

/// Whether a block's value at this place is an address that Notion fetches. Of words only the link is not,
/// and of a page's properties only files are.
fn is_fetched(pointer: &str) -> bool {
    let mut names = pointer.rsplit('/');
    if names.next() != Some("url") {
        return false;
    }
    match names.next().unwrap_or_default() {
        "external" | "embed" | "bookmark" | "link_preview" => true,
        "link" => false,
        _ => !pointer.starts_with("/properties/"),
    }
}

//! Whether a string field can hold prose: decided by the words of its name and by its shape, never by whether its
//! value looks like an address.

/// Words in a field's name that say: somebody writes sentences here.
const WORDS: [&str; 49] = [
    "subject",
    "body",
    "description",
    "title",
    "content",
    "contents",
    "message",
    "text",
    "summary",
    "note",
    "notes",
    "comment",
    "comments",
    "snippet",
    "reason",
    "topic",
    "caption",
    "bio",
    "about",
    "abstract",
    "excerpt",
    "preview",
    "headline",
    "memo",
    "remark",
    "remarks",
    "details",
    "detail",
    "instructions",
    "readme",
    "markdown",
    "html",
    "review",
    "answer",
    "question",
    "reply",
    "quote",
    "purpose",
    "status",
    "motd",
    "transcript",
    "prompt",
    "explanation",
    "diff",
    "patch",
    "log",
    "stdout",
    "stderr",
    "error",
];

/// Names of wrappers around a tool's one answer: a string there is the whole text, not a field of a record.
const WRAPPERS: [&str; 6] = ["/result", "/output", "/response", "/data", "/value", "/results"];

/// Longer than any single value that names a party.
const LONGEST: usize = 320;

/// Longer than any name of a field.
const LONGEST_NAME: usize = 128;

/// Whether the string at `pointer` is a text that somebody wrote.
pub(super) fn is_prose(pointer: &str, value: &str) -> bool {
    pointer.is_empty() || WRAPPERS.contains(&pointer) || name_is_prose(pointer) || shape_is_prose(value)
}

/// The nearest name (not an index) decides: `/comments/0` is a comment.
fn name_is_prose(pointer: &str) -> bool {
    let name =
        pointer.rsplit('/').find(|s| !s.is_empty() && !s.bytes().all(|b| b.is_ascii_digit())).unwrap_or("");
    // No program names a field so: somebody wrote it.
    name.len() > LONGEST_NAME || words(name).any(|w| WORDS.contains(&w.as_str()))
}

/// `messageBody`, `message_body` and `MESSAGE-BODY` are `message` and `body`; ids of such things are ids.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut out: Vec<String> = Vec::new();
    let mut now = String::new();
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            out.push(std::mem::take(&mut now));
        }
        lower = c.is_lowercase();
        if c.is_alphanumeric() {
            now.extend(c.to_lowercase());
        }
    }
    out.push(now);
    out.retain(|w| !w.is_empty());
    if out.last().is_some_and(|w| {
        matches!(w.as_str(), "id" | "ids" | "count" | "type" | "url" | "uri" | "email" | "from" | "to")
    }) {
        out.clear();
    }
    out.into_iter()
}

fn shape_is_prose(value: &str) -> bool {
    value.len() > LONGEST || value.trim().contains('\n') || value.split_whitespace().nth(7).is_some()
}

/// Whether the pointer is a wrapper's one member.
pub(super) fn is_wrapper(pointer: &str) -> bool {
    WRAPPERS.contains(&pointer)
}

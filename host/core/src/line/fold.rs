//! Names that some servers take for one another.
//!
//! Go's `encoding/json` folds case by Unicode's simple folding, by which `ſ` is `s` and the Kelvin sign is `k`; Java's
//! `equalsIgnoreCase` also takes the dotless `ı` and the dotted `İ` for `i`. No other character folds into ASCII.

use crate::call::Method;

/// Names that have a meaning in an envelope or in `params`.
const RESERVED: [&str; 13] = [
    "jsonrpc",
    "id",
    "method",
    "params",
    "result",
    "error",
    "name",
    "arguments",
    "_meta",
    "task",
    "uri",
    "requestState",
    "inputResponses",
];

fn fold(c: char) -> char {
    match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        '\u{130}' | '\u{131}' => 'i',
        c => c.to_ascii_lowercase(),
    }
}

fn same(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    a.chars().map(fold).eq(b.chars().map(fold))
}

/// The reserved name that `key` is not, but equals for a reader that folds case.
pub(super) fn reserved_lookalike(key: &str) -> Option<&'static str> {
    // No reserved name is longer, and no character folds to more than one.
    if key.len() > 3 * 14 || RESERVED.contains(&key) {
        return None;
    }
    RESERVED.into_iter().find(|name| same(key, name))
}

/// Whether `key` is `name`, for a reader that folds case.
#[must_use]
pub fn reads_as(key: &str, name: &str) -> bool {
    same(key, name)
}

/// Whether a careless router could take `method` for one that is judged although it is not: other case, or the same
/// letters between other signs (`tools//call`, `/tools/call`, `tools/call` with a blank or a NUL behind it).
pub(super) fn call_lookalike(method: &str) -> bool {
    const LETTERS: [&str; 5] =
        ["toolscall", "resourcesread", "resourcessubscribe", "subscriptionslisten", "completioncomplete"];
    let letters = || method.chars().map(fold).filter(char::is_ascii_alphanumeric);
    Method::of(method).is_none() && LETTERS.iter().any(|judged| letters().eq(judged.chars()))
}

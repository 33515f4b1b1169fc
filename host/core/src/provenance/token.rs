//! Where a value ends and the next begins: `bob@x.io` does not stand in `jimbob@x.io`.

use crate::destination::Kind;

/// Joins the characters on both of its sides into one word when it stands between them.
fn joins(c: char) -> bool {
    matches!(c, '.' | '-' | '_' | '+' | '\'')
}

/// Whether what stands before goes on into a word that begins with `first`.
fn runs_on_before(before: &str, glue: fn(char) -> bool) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        Some(c) if c.is_alphanumeric() => true,
        Some(c) if glue(c) => back.next().is_some_and(char::is_alphanumeric),
        _ => false,
    }
}

fn runs_on_after(after: &str, glue: fn(char) -> bool) -> bool {
    let mut ahead = after.chars();
    match ahead.next() {
        Some(c) if c.is_alphanumeric() => true,
        Some(c) if glue(c) => ahead.next().is_some_and(char::is_alphanumeric),
        _ => false,
    }
}

/// Whether a name stands by itself: not within a longer word, address or path.
pub(super) fn stands_alone(before: &str, value: &str, after: &str) -> bool {
    let glue = |c: char| joins(c) && c != '\'' || c == '@' || c == '/';
    let starts = value.chars().next().is_some_and(char::is_alphanumeric);
    let ends = value.chars().next_back().is_some_and(char::is_alphanumeric);
    let cut =
        starts && runs_on_before(before, |c| joins(c) && c != '\'') || ends && runs_on_after(after, glue);
    !cut
}

/// Whether a number stands by itself: not within a time, a date, a version, an address or a longer number.
pub(super) fn number_stands_alone(before: &str, after: &str) -> bool {
    let glue = |c: char| joins(c) && c != '\'' || matches!(c, '@' | '/' | ':' | ',' | '\u{2013}');
    !runs_on_before(before, |c| matches!(c, '.' | '-' | '_' | '+' | '/' | ':' | '@' | '\u{2013}'))
        && !runs_on_after(after, glue)
}

/// How one occurrence of a value in a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The value itself stands there.
    Itself,
    /// Something that contains it: another address, a longer host.
    Related,
    /// A part of another word.
    Nothing,
}

/// Reads an occurrence of a value of that kind.
pub(super) fn read(kind: Kind, before: &str, value: &str, after: &str) -> Reading {
    match kind {
        Kind::Email => {
            let local = |c: char| joins(c) && c != '\'';
            if runs_on_before(before, local) {
                Reading::Nothing
            } else if runs_on_after(after, |c| c == '.' || c == '-') {
                if after.starts_with('.') { Reading::Related } else { Reading::Nothing }
            } else {
                Reading::Itself
            }
        }
        Kind::Host => {
            if before.ends_with('@') || before.ends_with('.') && runs_on_before(before, |c| c == '.') {
                Reading::Related
            } else if runs_on_before(before, |c| c == '-') {
                Reading::Nothing
            } else if runs_on_after(after, |c| c == '.' || c == '-') {
                if after.starts_with('.') { Reading::Related } else { Reading::Nothing }
            } else {
                Reading::Itself
            }
        }
        // The rest of a longer URL only takes away from what stands there; nothing is added to it.
        Kind::Url => match runs_on_before(before, |c| matches!(c, '.' | '-')) {
            true => Reading::Nothing,
            false => Reading::Itself,
        },
        Kind::Phone | Kind::Account => {
            let digits = before.chars().next_back().is_some_and(char::is_alphanumeric)
                || after.chars().next().is_some_and(char::is_alphanumeric);
            if digits { Reading::Nothing } else { Reading::Itself }
        }
        Kind::Repository => {
            let part = |c: char| joins(c);
            if runs_on_before(before, part) || runs_on_after(after, |c| matches!(c, '-' | '_')) {
                Reading::Nothing
            } else {
                Reading::Itself
            }
        }
        Kind::Path | Kind::Reference | Kind::Unknown => {
            let starts = value.chars().next().is_some_and(char::is_alphanumeric);
            let ends = value.chars().next_back().is_some_and(char::is_alphanumeric);
            let cut = starts && before.chars().next_back().is_some_and(char::is_alphanumeric)
                || ends && after.chars().next().is_some_and(char::is_alphanumeric);
            if cut { Reading::Nothing } else { Reading::Itself }
        }
        Kind::Channel | Kind::User => {
            if stands_alone(before, value, after) {
                Reading::Itself
            } else {
                Reading::Nothing
            }
        }
    }
}

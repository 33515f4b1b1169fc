//! The user's own words: what they name is vouched for, exactly as typed, but not what stands inside a passage that
//! they quote from an answer.

mod naming;

use crate::destination::{self, Destination, Kind};
use std::collections::BTreeSet;
use std::ops::Range;

/// A run of this many folded characters that an answer held before is a quotation.
pub(super) const QUOTE: usize = 40;
/// A quoted run that reaches no further than this beyond a destination is the user naming it.
const SLACK: usize = 12;

/// Longer numbers are names by themselves.
const SHORT: usize = 5;
/// Words before a number that make it a name, whatever the argument is called.
const NUMBERING: [&str; 18] = [
    "id", "ids", "no", "nr", "number", "numbers", "#", "item", "items", "entry", "issue", "issues", "pr",
    "ticket", "tickets", "request", "task", "tasks",
];

fn is_short_number(text: &str) -> bool {
    text.len() < SHORT && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The last word of `before`, lower-cased; numbers of the same list, and what stands between them, are passed over.
fn last_word(before: &str) -> Option<String> {
    before
        .rsplit(|c: char| !c.is_alphanumeric() && c != '#')
        .filter(|word| !word.is_empty())
        .map(|word| word.trim_start_matches('#').to_lowercase())
        .find(|word| !word.is_empty() && !matches!(word.as_str(), "and" | "or") && !is_short_number(word))
}

#[derive(Debug, Default)]
pub(super) struct Prompts {
    named: BTreeSet<(Kind, String)>,
    /// Prompts without what they quote, blanks collapsed, otherwise as typed.
    words: Vec<String>,
}

impl Prompts {
    /// Records a prompt; `quoted` are its byte ranges that an answer held before.
    pub(super) fn add(&mut self, text: &str, quoted: &[Range<usize>]) {
        for found in destination::find_with_places(text) {
            let span = &found.span;
            let laundered = quoted
                .iter()
                .any(|q| q.start < span.end && span.start < q.end && q.len() > span.len() + SLACK);
            if laundered || !destination::is_surely_meant(&found.destination) {
                continue;
            }
            if found.destination.kind == Kind::Url {
                let repositories = destination::repositories_of(&found.destination.canonical);
                self.named.extend(repositories.into_iter().map(|r| (Kind::Repository, r)));
            }
            self.named.insert((found.destination.kind, found.destination.canonical));
        }
        let mut kept = String::with_capacity(text.len());
        let mut from = 0;
        for q in quoted.iter().filter(|q| q.len() >= QUOTE) {
            kept.push_str(text.get(from..q.start).unwrap_or(""));
            // Nothing may be put together from what stands before and after a quotation.
            kept.push_str(" \u{0} ");
            from = q.end.max(from);
        }
        kept.push_str(text.get(from..).unwrap_or(""));
        self.words.push(kept.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    /// Whether the user named this destination.
    pub(super) fn names(&self, d: &Destination) -> bool {
        if self.named.contains(&(d.kind, d.canonical.clone())) {
            return true;
        }
        // A sign or a dot beside it does not make a number a name: `#11`, `-100`, `<#11>`.
        let number = d.raw.trim_matches(|c: char| !c.is_alphanumeric());
        if is_short_number(number) {
            return self.numbers(number, &d.argument);
        }
        match d.kind {
            Kind::Email | Kind::Host => false,
            Kind::Url => destination::url_parts(&d.canonical).is_some_and(|p| {
                (p.scheme == "https" || p.scheme == "http")
                    && ((p.is_root() && self.named.contains(&(Kind::Host, p.host.clone())))
                        // Typed without a scheme, it was read as `https`.
                        || p.scheme == "http" && self.words.iter().any(|w| !w.contains("://"))
                            && self.named.contains(&(Kind::Url, d.canonical.replacen("http://", "https://", 1))))
            }),
            Kind::Channel | Kind::User => {
                let name = destination::bare_name(&d.raw);
                self.stands(name, true, |before, typed, after| {
                    !naming::cut(before, after) && naming::is_name(d, before, typed, after)
                })
            }
            Kind::Repository => {
                let raw = d.raw.trim().trim_matches('/');
                self.stands(raw, true, |before, typed, after| {
                    !naming::cut(before, after) && naming::is_repository(before, typed, after)
                })
            }
            _ => self.says(d.raw.trim(), d.raw.chars().all(|c| c.is_alphabetic() || c == ' ')) || self.says(&d.canonical, false),
        }
    }

    /// Whether a prompt names a thing by this number. `11` of `11:00`, of `June 11` or of `11.` before a list's entry names
    /// nothing: a word of the argument, `id`, `number`, `#` or a quotation mark has to stand before it (`email 11`,
    /// `#11`, `files 9, 10 and 11`).
    fn numbers(&self, number: &str, argument: &str) -> bool {
        let of_it: Vec<String> = argument
            .split(|c: char| !c.is_alphabetic())
            .flat_map(|part| [part.to_lowercase(), format!("{}s", part.to_lowercase())])
            .filter(|word| word.chars().count() >= 2)
            .collect();
        let names = |word: &str| NUMBERING.contains(&word) || of_it.iter().any(|w| w == word);
        self.words.iter().any(|prompt| {
            prompt.match_indices(number).any(|(at, m)| {
                let (before, after) =
                    (prompt.get(..at).unwrap_or(""), prompt.get(at + m.len()..).unwrap_or(""));
                super::token::number_stands_alone(before, after) && {
                    let quoted = before.ends_with(['\'', '"', '`', '\u{201c}', '\u{2018}'])
                        && after.starts_with(['\'', '"', '`', '\u{201d}', '\u{2019}']);
                    quoted || before.ends_with('#') || last_word(before).is_some_and(|word| names(&word))
                }
            })
        })
    }

    /// Whether the words themselves stand in a prompt, whole.
    fn says(&self, words: &str, any_case: bool) -> bool {
        self.stands(words, any_case, |_, _, _| true)
    }

    /// Whether the words stand in a prompt, whole, at a place of which `means` says (what stands before, the words as
    /// typed, what stands after) that they are meant.
    fn stands(&self, words: &str, any_case: bool, means: impl Fn(&str, &str, &str) -> bool) -> bool {
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() || !words.chars().any(char::is_alphanumeric) {
            return false;
        }
        self.words.iter().any(|prompt| {
            naming::places(prompt, &words, any_case).any(|at| {
                let (before, typed, after) = (
                    prompt.get(..at.start).unwrap_or(""),
                    prompt.get(at.clone()).unwrap_or(""),
                    prompt.get(at.end..).unwrap_or(""),
                );
                super::token::stands_alone(before, typed, after) && means(before, typed, after)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(prompt: &str, number: &str, argument: &str) -> bool {
        let mut prompts = Prompts::default();
        prompts.add(prompt, &[]);
        prompts.names(&Destination::new(Kind::Unknown, number, number.to_owned(), argument))
    }

    #[test]
    fn a_short_number_names_something_only_where_the_user_says_what() {
        for prompt in [
            "delete email 11",
            "delete the e-mails with ids 9, 10 and 11",
            "close #11",
            "remove email_id: 11, please",
            "drop emails 9 and 11.",
            "the one called '11'",
            "email no. 11",
        ] {
            assert!(names(prompt, "11", "/email_id"), "{prompt}");
        }
        for prompt in [
            "what do I do on June 11 at 11:00, or 2024-11-11?",
            "do this: 11. delete the oldest email",
            "an hour at 11 with email of 9",
            "version 1.11 of email 111",
            "email 11:30, and email 11,000 people",
            "write to 11 people",
        ] {
            assert!(!names(prompt, "11", "/email_id"), "{prompt}");
        }
        for sign in ["#11", "@11", "<#11>", "-11", "11."] {
            assert!(!names("see step 11 of the list", sign, "/channel"), "{sign}");
            assert!(names("post it in #11", sign, "/channel"), "{sign}");
        }
        assert!(names("order 20240611 is void", "20240611", "/id"), "a long number is a name");
    }
}

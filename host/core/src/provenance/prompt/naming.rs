//! Which words of a prompt are names. A channel or a user may be called anything, `summary` and `all` included, and
//! those who choose such names count on the user's ordinary words: a plain word is a name only where the prompt says so.

use crate::destination::{Destination, Kind};
use std::ops::Range;

/// Never names by themselves: `reply to all`.
const NEVER: [&str; 44] = [
    "a",
    "all",
    "an",
    "and",
    "any",
    "anyone",
    "as",
    "at",
    "both",
    "by",
    "each",
    "every",
    "everybody",
    "everyone",
    "for",
    "from",
    "he",
    "her",
    "here",
    "him",
    "his",
    "i",
    "in",
    "it",
    "its",
    "me",
    "my",
    "no",
    "not",
    "of",
    "on",
    "or",
    "our",
    "she",
    "that",
    "the",
    "their",
    "them",
    "this",
    "to",
    "us",
    "with",
    "you",
    "your",
];
/// Words for a place where several read.
const CHANNELS: [&str; 14] = [
    "channel",
    "channels",
    "chat",
    "chats",
    "conversation",
    "group",
    "groups",
    "list",
    "room",
    "rooms",
    "space",
    "team",
    "thread",
    "topic",
];
/// Words for a person, and for what is done to one.
const PEOPLE: [&str; 22] = [
    "account",
    "ask",
    "assign",
    "cc",
    "colleague",
    "colleagues",
    "contact",
    "dm",
    "handle",
    "invite",
    "member",
    "members",
    "mention",
    "message",
    "notify",
    "person",
    "ping",
    "remind",
    "tell",
    "user",
    "username",
    "users",
];
/// Words of sending, after which `to` stands before who receives it.
const SENDING: [&str; 21] = [
    "answer", "announce", "assign", "dm", "email", "forward", "give", "invite", "mail", "message", "move",
    "pass", "post", "publish", "put", "reply", "say", "send", "share", "submit", "write",
];
/// Words around a repository.
const REPOSITORIES: [&str; 33] = [
    "branch",
    "branches",
    "bug",
    "bugs",
    "clone",
    "code",
    "codebase",
    "commit",
    "commits",
    "fork",
    "git",
    "github",
    "gitlab",
    "issue",
    "issues",
    "merge",
    "pr",
    "project",
    "projects",
    "prs",
    "pull",
    "pulls",
    "push",
    "release",
    "releases",
    "repo",
    "repos",
    "repositories",
    "repository",
    "star",
    "tag",
    "tags",
    "wiki",
];
/// Signs inside ordinary words.
const JOINS: [char; 5] = ['-', '/', '\'', '\u{2019}', ':'];
/// Words of this many characters are ordinary with a digit in them too: `3pm`, `q3`, `2nd`.
const SHORT_WORD: usize = 3;
/// Words on either side among which one of [`REPOSITORIES`] has to stand.
const NEAR: usize = 4;

/// Where `needle` stands in `text`, compared letter by letter.
pub(super) fn places(text: &str, needle: &str, any_case: bool) -> impl Iterator<Item = Range<usize>> {
    let needle: Vec<char> = needle.chars().collect();
    let same = move |a: char, b: char| a == b || any_case && a.to_lowercase().eq(b.to_lowercase());
    text.char_indices().filter_map(move |(at, _)| {
        let rest = text.get(at..)?;
        let mut chars = rest.chars();
        let fits = needle.iter().all(|n| chars.next().is_some_and(|c| same(c, *n)));
        fits.then(|| at..text.len() - chars.as_str().len())
    })
}

/// Whether the words are a part of a path or of an address.
pub(super) fn cut(before: &str, after: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '~' | '/' | ':'));
    before.strip_suffix('/').is_some_and(|b| part(b.chars().next_back()) || b.is_empty())
        || after.strip_prefix('/').is_some_and(|a| part(a.chars().next()))
}

/// Whether a place in a prompt names this channel or user.
pub(super) fn is_name(d: &Destination, before: &str, typed: &str, after: &str) -> bool {
    if before.ends_with(['#', '@']) || quoted(before, after) || !is_plain(typed) {
        return true;
    }
    if typed.split(' ').any(|word| NEVER.contains(&word.to_lowercase().as_str())) {
        return false;
    }
    if typed.split(' ').all(|w| w.chars().next().is_some_and(char::is_uppercase)) && !begins_sentence(before)
    {
        return true;
    }
    let of_kind: &[&str] = if d.kind == Kind::Channel { &CHANNELS } else { &PEOPLE };
    let of_it: Vec<String> = d
        .argument
        .split(|c: char| !c.is_alphabetic())
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() > 2 && !NEVER.contains(&word.as_str()))
        .collect();
    let marks = |word: &str| {
        of_kind.contains(&word) || of_it.iter().any(|w| w == word || word.strip_suffix('s') == Some(w))
    };
    if next_word(after).is_some_and(|word| marks(&word)) {
        return true;
    }
    let mut words = words_before(before);
    match words.next().as_deref() {
        Some("to" | "into") => sentence_sends(before),
        Some("in") if d.kind == Kind::Channel && !is_joined(typed) => sentence_sends(before),
        Some("at" | "from" | "in" | "on") if is_joined(typed) => ends_clause(after),
        Some(word) => marks(word),
        None => false,
    }
}

/// Whether a place in a prompt names this repository: `and/or` and `src/main` are no repositories by themselves.
pub(super) fn is_repository(before: &str, typed: &str, after: &str) -> bool {
    let plain = typed.chars().all(|c| c.is_alphabetic() || c == '/');
    !plain || quoted(before, after) || {
        let mut around = words_before(before).take(NEAR).chain(
            after
                .split(|c: char| !c.is_alphanumeric())
                .filter(|w| !w.is_empty())
                .take(NEAR)
                .map(str::to_lowercase),
        );
        around.any(|word| REPOSITORIES.contains(&word.as_str()))
    }
}

/// Whether every word in it may be an ordinary one: `follow-up`, `and/or`, `q3`, `e.g.` and `2026-11-30` are, `a.lee`,
/// `ops_alerts` and `U02AB7` are not.
fn is_plain(typed: &str) -> bool {
    typed.split(' ').all(|word| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let parts = word.split('.').map(|part| part.chars().count());
        let ordinary = |c: char| c.is_alphanumeric() || JOINS.contains(&c) || c == '.';
        word.chars().all(ordinary)
            && (digits == 0 || word.chars().count() <= SHORT_WORD || is_date(word))
            && (!word.contains('.') || parts.max().is_some_and(|longest| longest <= 1))
    })
}

/// Numbers with signs between them.
fn is_date(word: &str) -> bool {
    let joins = |c: char| JOINS.contains(&c) || c == '.';
    word.contains(joins) && word.chars().all(|c| c.is_ascii_digit() || joins(c))
}

/// Words put together with a hyphen or a slash: few ordinary ones (`in read-only mode`) end what `at` or `in` begins.
fn is_joined(typed: &str) -> bool {
    typed.contains(['-', '/']) && typed.chars().any(char::is_alphabetic)
}

fn quoted(before: &str, after: &str) -> bool {
    before.ends_with(['\'', '"', '`', '\u{201c}', '\u{2018}', '\u{ab}', '\u{201e}'])
        && after.starts_with(['\'', '"', '`', '\u{201d}', '\u{2019}', '\u{bb}', '\u{201c}'])
}

fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '"', '\'', '(', '*', '-', '\u{2022}']);
    before.is_empty() || before.ends_with(['.', '!', '?', ':', ';', '\0'])
}

/// Whether no further word belongs to what goes before.
fn ends_clause(after: &str) -> bool {
    next_word(after).is_none_or(|word| word == "and" || word == "or")
}

fn next_word(after: &str) -> Option<String> {
    let after = after.strip_prefix(' ')?;
    after.split(|c: char| !c.is_alphanumeric()).next().map(str::to_lowercase).filter(|w| !w.is_empty())
}

/// The words before, nearest first; the other entries of a list (`Ann, bob and`) are passed over.
fn words_before(before: &str) -> impl Iterator<Item = String> {
    let mut rest = before.trim_end();
    loop {
        let lower = rest.to_lowercase();
        let cut = [" and", " or", ",", " &"].iter().find(|j| lower.ends_with(**j)).map(|j| j.len());
        let Some(cut) = cut else { break };
        rest = rest.get(..rest.len() - cut).unwrap_or("").trim_end();
        rest = rest.trim_end_matches(|c: char| !c.is_whitespace() && c != ',').trim_end();
    }
    rest.rsplit(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}

/// Whether the sentence so far is about sending something.
fn sentence_sends(before: &str) -> bool {
    let sentence = before.rsplit(['.', '!', '?', ';', '\0']).next().unwrap_or("");
    sentence
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| SENDING.iter().any(|s| word.eq_ignore_ascii_case(s)))
}

#[cfg(test)]
mod tests {
    use super::super::Prompts;
    use crate::destination::{Destination, Kind};

    fn named(prompt: &str, kind: Kind, value: &str, argument: &str) -> bool {
        let mut prompts = Prompts::default();
        prompts.add(prompt, &[]);
        let canonical = crate::destination::canonical(kind, value).unwrap_or_default();
        prompts.names(&Destination::new(kind, value, canonical, argument))
    }

    #[test]
    fn a_plain_word_names_a_channel_only_where_the_prompt_says_so() {
        for (prompt, name) in [
            ("post it in the general channel", "general"),
            ("post it in channel general", "general"),
            ("summarise 'general' and 'random' for me", "random"),
            ("what happened in #random?", "#random"),
            ("post the notes to engineering", "engineering"),
            ("post the notes in engineering", "engineering"),
            ("send it to general and random", "random"),
            ("compare the channels general, random and design", "random"),
            ("tell the Platform team", "platform"),
            ("look at release-planning", "release-planning"),
            ("what is new in release-planning?", "release-planning"),
            ("what is new in release-planning and design-team?", "release-planning"),
            ("post the notes to q3", "q3"),
            ("post it in the follow-up channel", "follow-up"),
            ("check ops_alerts", "ops_alerts"),
            ("check C02AB7XYZ", "C02AB7XYZ"),
        ] {
            assert!(named(prompt, Kind::Channel, name, "/channel"), "{prompt}");
        }
        for (prompt, name) in [
            ("give me a summary of the day", "summary"),
            ("Summary of the day, please", "summary"),
            ("read all of it and reply to all", "all"),
            ("in general, what do they say?", "general"),
            ("post it, and then look at src/main", "main"),
            ("do this and that, to all of them", "this"),
            ("I want you to read it", "read"),
            ("write a follow-up for the e-mail of Monday", "follow-up"),
            ("write a follow-up for the e-mail of Monday", "e-mail"),
            ("this and/or that", "and/or"),
            ("the numbers of q3, by 3pm", "q3"),
            ("the numbers of q3, by 3pm", "3pm"),
            ("tools, e.g. the new one", "e.g"),
            ("the notes of 2026-11-30", "2026-11-30"),
            ("I want to follow-up with them", "follow-up"),
            ("in follow-up to my last mail, look at the notes", "follow-up"),
            ("what is in read-only mode?", "read-only"),
            ("summarise news from third-party sources", "third-party"),
        ] {
            assert!(!named(prompt, Kind::Channel, name, "/channel"), "{prompt}");
        }
    }

    #[test]
    fn a_plain_word_names_a_user_only_where_the_prompt_says_so() {
        for (prompt, name) in [
            ("Send the notes to Bob", "Bob"),
            ("send the notes to bob", "bob"),
            ("send the notes to ann, bob and carol", "carol"),
            ("invite dora to the workspace", "dora"),
            ("ask @eve about it", "eve"),
            ("please thank user zed", "zed"),
            ("what did John Smith write?", "john smith"),
            ("thank ann.lee for it", "ann.lee"),
            ("thank a.lee for it", "a.lee"),
            ("assign it to ann-lee", "ann-lee"),
        ] {
            assert!(named(prompt, Kind::User, name, "/recipient"), "{prompt}");
        }
        for (prompt, name) in [
            ("send the summary to everyone", "everyone"),
            ("send the summary to everyone", "summary"),
            ("I want you to read the notes", "read"),
            ("see notes/bob for more", "bob"),
        ] {
            assert!(!named(prompt, Kind::User, name, "/recipient"), "{prompt}");
        }
    }

    #[test]
    fn a_pair_of_plain_words_is_a_repository_only_where_the_prompt_says_so() {
        for (prompt, name) in [
            ("open an issue in acme/web", "acme/web"),
            ("push it to acme/web", "acme/web"),
            ("look at acme/web-site", "acme/web-site"),
            ("look at `acme/web`", "acme/web"),
            ("see https://github.com/acme/web/issues/3", "acme/web"),
            ("see https://gitlab.com/acme/sub/web", "acme/sub/web"),
        ] {
            assert!(named(prompt, Kind::Repository, name, "/repo"), "{prompt}");
        }
        for (prompt, name) in [
            ("this and/or that", "and/or"),
            ("the bug is in src/main, fix it in the file src/main", "src/lib"),
            ("look at src/main there", "src/main"),
            ("look at org/x/y in the repository", "x/y"),
            ("see https://example.com/acme/web", "acme/web"),
        ] {
            assert!(!named(prompt, Kind::Repository, name, "/repo"), "{prompt}");
        }
    }
}

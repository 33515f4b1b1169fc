//! What kind of doing a tool's name speaks of: reading, writing, sending, destroying, running, fetching.
//! Words only; arguments are weighed elsewhere.

use super::words::any;

/// The kind of doing, by the leading verb of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doing {
    /// Looks at something.
    Read,
    /// Loads an address that the caller gives.
    Fetch,
    /// Changes something of one's own.
    Write,
    /// Changes the state of something, without carrying text of the caller's: mark, mute, star, archive.
    Touch,
    /// Hands something to others.
    Send,
    /// Deletes, ends, or takes away.
    Destroy,
    /// Runs something.
    Run,
    /// Works a form of a program that is open: types, fills, uploads.
    Enter,
    /// No verb was recognised.
    Unknown,
}

/// Verbs that mean reading, wherever in a name they stand.
const READ: &[&str] = &[
    "get",
    "list",
    "read",
    "search",
    "find",
    "describe",
    "show",
    "count",
    "lookup",
    "retrieve",
    "inspect",
    "view",
    "explain",
    "analyze",
    "check",
    "validate",
    "verify",
    "preview",
    "compare",
    "diff",
    "watch",
    "peek",
    "resolve",
    "parse",
    "aggregate",
    "export",
    "download",
    "grep",
    "stat",
    "summarize",
    "calculate",
    "convert",
    "estimate",
    "is",
    "has",
    "whoami",
    "help",
    "suggest",
    "monitor",
    "tail",
    "poll",
    "info",
    "status",
    "log",
    "history",
    "query",
    "wait",
    "ping",
    "print",
    "detect",
];
/// Verbs that load an address given by the caller.
const FETCH: &[&str] = &[
    "fetch",
    "navigate",
    "goto",
    "visit",
    "scrape",
    "crawl",
    "browse",
    "open",
    "screenshot",
    "extract",
    "map",
    "curl",
    "http",
    "request",
    "render",
    "capture",
    "spider",
    "surf",
    "load",
];
/// Verbs that change something of the user's own.
const WRITE: &[&str] = &[
    "create",
    "add",
    "update",
    "edit",
    "insert",
    "write",
    "manage",
    "put",
    "make",
    "new",
    "set",
    "draft",
    "schedule",
    "modify",
    "patch",
    "upsert",
    "append",
    "change",
    "assign",
    "request",
    "push",
    "save",
    "attach",
    "copy",
    "import",
    "register",
    "open",
    "replace",
    "rename",
    "move",
    "configure",
    "generate",
    "record",
    "duplicate",
    "merge",
    "apply",
    "define",
    "submit",
    "enable",
    "store",
    "convert",
    "protect",
    "put",
    "start",
    "build",
    "provision",
    "deploy",
    "compose",
    "prepare",
    "promote",
    "connect",
    "sync",
    "clone",
    "fork",
    "transfer",
    "pay",
    "issue",
    "book",
    "order",
    "charge",
    "customize",
    "format",
    "resize",
    "setup",
    "install",
    "upgrade",
    "commit",
    "subscribe",
];
/// Verbs that change a state and carry nothing.
const TOUCH: &[&str] = &[
    "mark",
    "mute",
    "unmute",
    "star",
    "unstar",
    "archive",
    "unarchive",
    "pin",
    "unpin",
    "dismiss",
    "snooze",
    "toggle",
    "close",
    "reopen",
    "resolve",
    "unresolve",
    "watch",
    "unwatch",
    "follow",
    "unfollow",
    "like",
    "react",
    "block",
    "unblock",
    "lock",
    "unlock",
    "join",
    "enable",
    "disable",
    "stop",
    "pause",
    "resume",
    "hide",
    "highlight",
    "reorder",
    "restore",
    "login",
    "complete",
    "hover",
    "click",
    "scroll",
    "switch",
    "select",
    "wait",
    "unban",
    "sort",
    "unmerge",
    "emulate",
    "reauthorize",
    "scale",
    "approve",
    "activate",
    "deactivate",
    "disconnect",
    "label",
    "unprotect",
];
/// Verbs that hand something over.
const SEND: &[&str] = &[
    "send",
    "reply",
    "forward",
    "invite",
    "share",
    "publish",
    "notify",
    "broadcast",
    "announce",
    "tweet",
    "respond",
    "dial",
    "deliver",
    "grant",
    "mention",
    "remit",
    "donate",
    "wire",
    "dispatch",
    "email",
    "accept",
    "decline",
    "rsvp",
    "transmit",
    "fork",
    "promote",
    "text",
    "sms",
    "resend",
];
/// Sending verbs that are as often the thing sent: they count when no plainer verb is there.
const SEND_NOUNS: &[&str] = &[
    "post", "message", "mail", "comment", "dm", "page", "call", "phone", "chat", "alert", "beep", "feedback",
];
/// Verbs that lose something for good.
const DESTROY: &[&str] = &[
    "delete",
    "remove",
    "drop",
    "destroy",
    "purge",
    "erase",
    "wipe",
    "trash",
    "kill",
    "terminate",
    "revoke",
    "uninstall",
    "cancel",
    "clear",
    "ban",
    "demote",
    "rotate",
    "logout",
    "rollback",
    "force",
    "refund",
    "teardown",
    "cleanup",
    "flush",
    "truncate",
    "overwrite",
    "leave",
    "unlink",
    "rm",
    "del",
    "discard",
    "expunge",
    "kick",
    "evict",
    "nuke",
    "shred",
    "void",
    "unshare",
    "deprovision",
    "prune",
    "empty",
    "abort",
    "reset",
];
/// The deleting ones among them: those that get a budget.
const DELETE: &[&str] = &[
    "delete",
    "remove",
    "drop",
    "destroy",
    "purge",
    "erase",
    "wipe",
    "trash",
    "rm",
    "del",
    "expunge",
    "nuke",
    "shred",
    "truncate",
    "prune",
    "uninstall",
];
/// Verbs that run something.
const RUN: &[&str] = &[
    "run", "execute", "exec", "eval", "evaluate", "invoke", "spawn", "interact", "trigger", "shell", "bash",
    "launch", "test", "call",
];
/// Verbs that put text or files into a form.
const ENTER: &[&str] = &["type", "fill", "upload", "drop", "enter", "paste", "press", "handle"];

fn is(word: &str, list: &[&str]) -> bool {
    list.contains(&word)
}

fn plain(word: &str) -> Option<Doing> {
    if is(word, DESTROY) {
        Some(Doing::Destroy)
    } else if is(word, SEND) {
        Some(Doing::Send)
    } else if is(word, &["create", "add", "update", "edit", "write", "manage", "set", "put", "draft"]) {
        Some(Doing::Write)
    } else if is(word, RUN) && word != "call" && word != "test" && word != "shell" && word != "bash" {
        Some(Doing::Run)
    } else if is(word, TOUCH) && !is(word, &["watch", "wait", "label", "resolve", "complete"]) {
        Some(Doing::Touch)
    } else if is(word, FETCH) && !is(word, &["open", "http", "request", "map", "load"]) {
        Some(Doing::Fetch)
    } else if is(word, ENTER) && !is(word, &["type", "upload"]) {
        Some(Doing::Enter)
    } else if is(word, WRITE) && !is(word, &["new", "record", "issue", "order", "commit", "book", "merge"]) {
        Some(Doing::Write)
    } else if is(word, READ) && !is(word, NOUN_READ) {
        Some(Doing::Read)
    } else {
        None
    }
}

/// Reading words that are as often nouns.
const NOUN_READ: &[&str] = &[
    "info", "status", "log", "history", "help", "poll", "query", "view", "has", "is", "stat", "monitor",
    "watch", "print", "preview", "export",
];

/// What words that are also nouns mean when no plain verb is there.
fn ambiguous(word: &str) -> Option<Doing> {
    if is(word, SEND_NOUNS) {
        Some(if word == "call" || word == "page" { Doing::Unknown } else { Doing::Send })
    } else if is(word, RUN) {
        Some(Doing::Run)
    } else if is(word, ENTER) {
        Some(Doing::Enter)
    } else if is(word, FETCH) {
        Some(Doing::Fetch)
    } else if is(word, TOUCH) {
        Some(Doing::Touch)
    } else if is(word, WRITE) {
        Some(Doing::Write)
    } else if is(word, READ) {
        Some(Doing::Read)
    } else {
        None
    }
}

/// The doing that a name speaks of: its first plain verb, or else its first word that may be one. A name with
/// two verbs (`find_and_replace`, `get_or_create`) is judged by the one that does more.
pub(super) fn doing(name: &[String]) -> Doing {
    let joined = any(name, &["and", "or", "then"]);
    // In a browser, dropping is putting something into the page.
    let in_page = any(name, &["browser", "page"]) && any(name, &["drop"]);
    if in_page {
        return Doing::Enter;
    }
    let mut verbs = name.iter().filter_map(|w| plain(w));
    let first = verbs.next();
    let plain_verb = match first {
        Some(Doing::Read | Doing::Fetch) if joined => verbs.find(|d| *d != Doing::Read).or(first),
        _ => first,
    };
    plain_verb
        .or_else(|| name.iter().filter_map(|w| ambiguous(w)).find(|d| *d != Doing::Unknown))
        .unwrap_or(Doing::Unknown)
}

/// Whether a name speaks of deleting, which earns a budget.
pub(super) fn deletes(name: &[String]) -> bool {
    any(name, DELETE)
}

/// Whether a name speaks of loading an address.
pub(super) fn fetches(name: &[String]) -> bool {
    any(name, FETCH)
}

/// Whether a name speaks of running something.
pub(super) fn runs(name: &[String]) -> bool {
    // `call` and `test` are verbs only in front: `CreateCall` makes a telephone call.
    let clear = name.iter().any(|w| is(w, RUN) && !is(w, &["call", "test"]));
    clear || name.first().is_some_and(|w| is(w, RUN))
}

/// Whether a name says reading in so many words; what else it may mean is then not searched for.
pub(super) fn reads_plainly(name: &[String]) -> bool {
    any(
        name,
        &[
            "read", "get", "list", "describe", "explain", "validate", "search", "find", "show", "check",
            "parse", "analyze",
        ],
    )
}

/// Whether a name has a second verb besides `update` at its end: then the update is a thing that is told to others.
pub(super) fn tells_update(name: &[String]) -> bool {
    name.split_last()
        .is_some_and(|(end, rest)| end == "update" && rest.iter().any(|w| plain(w) == Some(Doing::Write)))
}

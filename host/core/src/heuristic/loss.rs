//! Whether a call can lose something for good: data, access, a running thing.

use super::judge::Evidence;
use super::programs::Program;
use super::sending;
use super::verbs::{self, Doing};
use super::words::{any, last, pair};
use crate::tool::Tool;

/// What can be taken off without losing anything: put it back and all is as before.
const LIGHT: &[&str] = &[
    "label",
    "tag",
    "reaction",
    "star",
    "watcher",
    "link",
    "epic",
    "relation",
    "suppression",
    "issue",
    "sub",
    "favorite",
    "bookmark",
    "assignee",
    "reviewer",
    "mark",
    "highlight",
    "breakpoint",
    "filter",
];
/// Whose removal takes access away.
const PEOPLE: &[&str] =
    &["user", "member", "owner", "admin", "collaborator", "account", "permission", "access", "people"];
/// Phrases that tell of losing.
const SAID: &[&str] = &[
    "overwrit",
    "permanently",
    "irreversibl",
    "cannot be undone",
    "can't be undone",
    "not reversible",
    "replaces the entire",
    "replace the entire",
    "existing content will be lost",
    "unrecoverable",
];

/// Words for what costs the user money or holds them to something.
const BINDING: &[&str] = &[
    "pay",
    "payment",
    "payout",
    "purchase",
    "buy",
    "checkout",
    "order",
    "book",
    "booking",
    "reserve",
    "reservation",
    "rent",
    "hire",
    "subscribe",
    "donate",
    "donation",
    "withdraw",
    "withdrawal",
    "deposit",
    "trade",
    "sell",
    "bid",
    "money",
    "fund",
    "transaction",
    "transfer",
    "invoice",
    "charge",
    "ticketing",
];
/// Words for what lets somebody in.
const SECRETS: &[&str] = &["password", "passwd", "passcode", "passphrase", "credential", "mfa", "otp"];
/// Words that turn a sentence round.
const DENYING: &[&str] = &["not", "without", "never", "no", "unless", "whether", "optionally", "if"];
/// What makes `marked` something that happens in the call.
const BECOMING: &[&str] = &["are", "is", "be", "gets", "get", "automatically", "being", "then", "also"];

/// Whether the tool can lose something for good.
pub(super) fn destructive(e: &Evidence<'_>, tool: &Tool) -> bool {
    if e.doing == Doing::Destroy {
        return !light(e);
    }
    if e.arguments.iter().any(|a| a.program == Some(Program::Runs)) || sending::unreadable(e) {
        return true;
    }
    if e.doing == Doing::Read || e.doing == Doing::Fetch {
        return !verbs::reads_plainly(&e.name) && e.actions.iter().any(|a| destroys(a));
    }
    if e.actions.iter().any(|a| destroys(a)) {
        return true;
    }
    let said = SAID.iter().any(|t| e.about.contains(t));
    if said && matches!(e.doing, Doing::Write | Doing::Run | Doing::Unknown) {
        return true;
    }
    if overwrites(e) {
        return true;
    }
    // A server that says so of a tool whose verb says nothing of itself is believed: this only tightens.
    tool.hint("destructiveHint") == Some(true) && matches!(e.doing, Doing::Unknown | Doing::Run)
}

/// Whether a call pays, books, orders, or sets a password: what a person answers for, though nothing is lost or sent.
pub(super) fn binds(e: &Evidence<'_>) -> bool {
    if matches!(e.doing, Doing::Read | Doing::Fetch) && !e.actions.iter().any(|action| any(action, BINDING)) {
        return false;
    }
    let secret =
        |a: &super::judge::Argument<'_>| any(&a.leaf.name, SECRETS) && !any(&a.leaf.name, &["id", "reset"]);
    any(&e.name, BINDING)
        || any(&e.name, SECRETS)
        || e.actions.iter().any(|action| any(action, BINDING))
        || matches!(e.doing, Doing::Write | Doing::Unknown) && e.arguments.iter().any(secret)
}

/// Whether a tool that reads says that it changes what it reads: marks it as read, deletes it, takes it off a queue.
pub(super) fn uses_up(e: &Evidence<'_>) -> bool {
    matches!(e.doing, Doing::Read | Doing::Fetch)
        && e.about.split(['.', ';', '\n', '!']).any(|sentence| {
            let words: Vec<&str> = sentence
                .split(|c: char| !c.is_alphanumeric() && c != '\'')
                .filter(|w| !w.is_empty())
                .collect();
            let denied = words.iter().any(|w| DENYING.contains(w) || w.ends_with("n't"));
            !denied && (marks(&words) || takes(&words))
        })
}

/// `are marked as read`, `marks them as seen`; not `marked as read by others`, nor messages that were so marked before.
fn marks(words: &[&str]) -> bool {
    let state = |w: &&str| matches!(*w, "read" | "seen" | "done" | "processed" | "acknowledged" | "viewed");
    let at = words.iter().position(|w| matches!(*w, "mark" | "marks" | "marked" | "marking"));
    at.is_some_and(|at| {
        let after = words.get(at + 1..).unwrap_or_default();
        let object = after.iter().position(|w| *w == "as").filter(|n| *n <= 3);
        let doing = words.get(at) != Some(&"marked")
            || words.get(..at).unwrap_or_default().iter().rev().take(2).any(|w| BECOMING.contains(w));
        doing && object.and_then(|n| after.get(n + 1)).is_some_and(|w| state(&w))
    })
}

/// `are deleted after they are read`, `removes them from the queue`.
fn takes(words: &[&str]) -> bool {
    let gone =
        |w: &&str| matches!(*w, "removed" | "deleted" | "consumed" | "dequeued" | "popped" | "acknowledged");
    let becomes =
        words.windows(2).any(|pair| matches!(pair, [is, what] if BECOMING.contains(is) && gone(&what)));
    let taking = words.iter().any(|w| matches!(*w, "removes" | "deletes" | "consumes" | "dequeues" | "pops"));
    let after = words.iter().any(|w| matches!(*w, "after" | "once" | "afterwards" | "when" | "upon"));
    becomes && after || taking && words.iter().any(|w| matches!(*w, "queue" | "inbox" | "mailbox" | "stream"))
}

fn destroys(action: &[String]) -> bool {
    verbs::doing(action) == Doing::Destroy && !any(action, LIGHT)
}

fn light(e: &Evidence<'_>) -> bool {
    let soft = any(&e.name, &["remove", "clear", "cancel", "reset", "unlink", "force", "leave"]);
    if !soft || any(&e.name, &["delete", "drop", "purge", "destroy"]) {
        return false;
    }
    let taken_off = any(&e.name, LIGHT) || any(&e.name, &["from"]) && !access(e);
    any(&e.name, &["remove", "unlink"]) && taken_off && !any(&e.name, &["shared"])
}

/// Whether somebody loses access: a person is taken off a team, a group, a project.
fn access(e: &Evidence<'_>) -> bool {
    any(&e.name, PEOPLE) && !any(&e.name, &["card", "task", "issue", "ticket"])
}

/// A whole file or page is written anew.
fn overwrites(e: &Evidence<'_>) -> bool {
    let whole = any(&e.name, &["write", "put", "save", "overwrite", "upload"])
        && any(&e.name, &["file", "content", "page", "note", "document"])
        && !any(&e.name, &["append", "patch", "edit", "attachment"]);
    let path = e.arguments.iter().any(|a| last(&a.leaf.name, &["path", "filename", "filepath", "id"]));
    whole && path || pair(&e.name, "rename", "collection")
}

//! Whether a tool can carry data to a party, and why it is thought so.

use super::judge::Evidence;
use super::programs::{self, Program};
use super::schema::{Leaf, Shape};
use super::sinks::Weight;
use super::verbs::{self, Doing};
use super::words::{any, last, pair};
use crate::destination::Kind;

/// Why a tool is thought to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// It runs what the caller writes.
    Program,
    /// It loads an address that the caller gives.
    Load,
    /// It sends, shares or invites.
    Party,
    /// It writes where others read: a comment, a reply; the thing written on is the destination.
    Discussion,
    /// It works a form that is open; nobody is named.
    Form,
}

/// What others read, when one is written.
const DISCUSSED: &[&str] = &["comment", "reply", "discussion", "review", "annotation", "reaction", "answer"];
/// What reaches others, when one is made or changed.
const MADE: &[&str] = &[
    "message",
    "mail",
    "email",
    "chat",
    "invitation",
    "invite",
    "webhook",
    "share",
    "sharing",
    "permission",
    "restriction",
    "access",
    "collaborator",
    "watcher",
    "reviewer",
    "member",
    "moderator",
    "participant",
    "attendee",
    "guest",
    "tweet",
    "post",
    "gist",
    "announcement",
    "notification",
    "call",
    "sms",
    "mms",
    "fax",
    "feedback",
    "poll",
    "publish",
    "newsletter",
    "campaign",
    "broadcast",
    "toot",
    "story",
    "dm",
    "allowlist",
    "whitelist",
    "acl",
    "admin",
    "delegate",
    "forwarding",
    "subscription",
    "subscriber",
    "assignee",
    "owner",
    "voicemail",
    "ticket",
    "grant",
];
/// What a name must not speak of: the thing is only around, not made.
const AROUND: &[&str] = &[
    "label",
    "folder",
    "template",
    "token",
    "setting",
    "reaction",
    "draft",
    "category",
    "attachment",
    "status",
    "tag",
    "visibility",
    "pin",
    "emoji",
    "name",
    "price",
    "state",
];
/// Words of a description or an argument that tell of loading something from the net.
const NET: &[&str] = &[
    "fetch",
    "scrape",
    "crawl",
    "web page",
    "webpage",
    "website",
    "web site",
    "http request",
    "any url",
    "internet",
    "navigate",
    "browser",
    "download the",
    "http://",
    "https://",
];

/// The reason why the tool sends, if it does.
pub(super) fn reason(e: &Evidence<'_>) -> Option<Reason> {
    let runs = e.arguments.iter().any(|a| a.program == Some(Program::Runs));
    let program = e.arguments.iter().any(|a| a.program.is_some());
    if runs || program && e.doing != Doing::Read || programs::named(&e.name) || programs::stored(&e.name) {
        return Some(Reason::Program);
    }
    if loads(e) {
        return Some(Reason::Load);
    }
    let acts = |d: &[Doing]| e.actions.iter().any(|a| d.contains(&verbs::doing(a)));
    let doing = match e.doing {
        Doing::Read if verbs::reads_plainly(&e.name) => Doing::Read,
        Doing::Read | Doing::Unknown if acts(&[Doing::Send]) => Doing::Send,
        Doing::Enter if !enters(e) => Doing::Write,
        Doing::Unknown if acts(&[Doing::Write, Doing::Run]) => Doing::Write,
        other => other,
    };
    let sure = e.arguments.iter().any(|a| matches!(a.sink, Some((_, Weight::Sure))));
    let called = e.arguments.iter().any(|a| {
        matches!(a.sink, Some((Kind::Url, Weight::Sure))) && any(&a.leaf.name, &["webhook", "callback"])
    });
    match doing {
        Doing::Read | Doing::Fetch => called.then_some(Reason::Party),
        Doing::Destroy | Doing::Touch => {
            // Calling off a meeting writes to everyone who was invited.
            let told = any(&e.name, &["cancel", "decline", "accept"])
                && any(&e.name, &["event", "meeting", "invitation", "appointment"]);
            (acts(&[Doing::Send]) || told).then_some(Reason::Party)
        }
        Doing::Enter => Some(Reason::Form),
        Doing::Send => Some(if discussed(e) { Reason::Discussion } else { Reason::Party }),
        Doing::Write | Doing::Run | Doing::Unknown => {
            if discussed(e) && doing != Doing::Unknown {
                return Some(Reason::Discussion);
            }
            if sure {
                return Some(Reason::Party);
            }
            writes_to_others(e, doing).then_some(Reason::Party)
        }
    }
}

fn discussed(e: &Evidence<'_>) -> bool {
    any(&e.name, DISCUSSED) && !any(&e.name, &["reaction", "thread", "delete"])
        || verbs::tells_update(&e.name)
        || any(&e.name, &["reply"])
}

fn writes_to_others(e: &Evidence<'_>, doing: Doing) -> bool {
    let carried = any(&e.name, &["copy", "move", "import", "save", "rename", "merge", "duplicate"]);
    if any(&e.name, MADE) && !any(&e.name, AROUND) && !carried && doing != Doing::Unknown {
        return true;
    }
    if any(&e.name, &["fork", "publish", "request", "install", "upgrade"])
        && any(&e.name, &["chart", "publish", "reviewer", "repository", "package", "helm"])
    {
        return true;
    }
    let actions_send = e.actions.iter().any(|a| verbs::doing(a) == Doing::Send);
    if actions_send {
        return true;
    }
    let issue =
        any(&e.name, &["issue"]) || pair(&e.name, "pull", "request") || pair(&e.name, "merge", "request");
    let worded = any(&e.name, &["create", "update", "edit", "write", "open", "submit", "request"]);
    let part = [
        "label",
        "link",
        "milestone",
        "sprint",
        "type",
        "epic",
        "relation",
        "custom",
        "field",
        "template",
        "priority",
    ];
    if issue && worded && !any(&e.name, &part) {
        return true;
    }
    if any(&e.name, &["push"]) && any(&e.name, &["file", "commit", "branch"])
        || any(&e.name, &["file"]) && any(&e.name, &["or"])
    {
        return true;
    }
    // A writer into someone's repository: others read it.
    let owner = e.arguments.iter().any(|a| a.leaf.name.len() == 1 && last(&a.leaf.name, &["owner"]));
    let repo =
        e.arguments.iter().any(|a| a.leaf.name.len() == 1 && last(&a.leaf.name, &["repo", "repository"]));
    if owner && repo && !any(&e.name, &["label", "subscription"]) {
        return true;
    }
    // Neither what is done nor with what can be read: nothing speaks against sending.
    if unreadable(e) {
        return true;
    }
    // A group, an event or a channel made with people in it, at once.
    let people = e
        .arguments
        .iter()
        .any(|a| matches!(a.sink, Some((Kind::User | Kind::Email | Kind::Phone, w)) if w >= Weight::Likely));
    people && any(&e.name, &["group", "event", "meeting", "team", "usergroup", "chat", "channel", "room"])
}

/// Whether neither the name nor the schema says what a call does: no verb, and one object of unknown members.
pub(super) fn unreadable(e: &Evidence<'_>) -> bool {
    let open = |leaf: &Leaf| leaf.shape == Shape::Free && last(&leaf.name, &["body", "payload", "request"]);
    e.doing == Doing::Unknown && e.arguments.iter().any(|a| open(a.leaf))
}

/// Whether the tool loads an address that the caller gives, so that the address itself carries data out.
fn loads(e: &Evidence<'_>) -> bool {
    if matches!(e.doing, Doing::Destroy | Doing::Touch) {
        return false;
    }
    let fetches = verbs::fetches(&e.name) && e.doing != Doing::Write;
    // A switch that says that a path is an address.
    let told_url = e.arguments.iter().any(|a| pair(&a.leaf.name, "is", "url"));
    let net = NET.iter().any(|t| e.about.contains(t));
    e.arguments.iter().any(|a| {
        let bare = matches!(a.sink, Some((Kind::Url, _)))
            && (a.leaf.name.len() == 1 && last(&a.leaf.name, &["url", "uri", "href", "link", "website"]))
            && !a.leaf.path.contains("/body/");
        let reader = !matches!(e.doing, Doing::Write | Doing::Send);
        bare && (fetches || reader && net && !about_one_site(e))
            || takes_address(a.leaf) && reader
            || last(&a.leaf.name, &["path"]) && reader && told_url
            || matches!(a.sink, Some((Kind::Host, _)))
                && (e.doing == Doing::Unknown || any(&e.name, &["connect"]))
    })
}

/// `parse_x_url`, `get_x_by_url`: the address is a name of a thing.
fn about_one_site(e: &Evidence<'_>) -> bool {
    any(&e.name, &["url", "uri"]) || any(&e.name, &["parse", "resource", "issue", "event"])
}

/// Whether a text that is not called an address may be one: a path or data that is fetched when it is an URL.
pub(super) fn takes_address(leaf: &Leaf) -> bool {
    leaf.shape == Shape::Text
        && last(&leaf.name, &["path", "data", "source", "file", "input", "location", "target"])
        && ["url", "http://", "https://"].iter().any(|t| leaf.text.contains(t))
}

/// Whether the tool puts text or a file into a page that is open.
fn enters(e: &Evidence<'_>) -> bool {
    let element =
        e.arguments.iter().any(|a| any(&a.leaf.name, &["selector", "element", "ref", "xpath", "target"]));
    element || any(&e.name, &["browser", "form", "page", "dialog", "upload"])
}

//! Which arguments may name who receives a call, of what kind they are, and how surely.
//! Looks at one argument at a time; whether the tool sends at all is decided elsewhere.

use super::schema::{Leaf, Shape};
use super::words::{any, last, pair};
use crate::destination::Kind;

/// How much an argument says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// An opaque name of a thing: a destination only where the thing is what others read.
    Target,
    /// A destination on a tool that sends.
    Likely,
    /// A tool with this argument sends, unless it reads.
    Sure,
}

const PEOPLE: &[&str] = &[
    "user",
    "member",
    "assignee",
    "reviewer",
    "participant",
    "guest",
    "watcher",
    "collaborator",
    "subscriber",
    "follower",
    "admin",
    "person",
    "people",
    "contact",
    "login",
    "username",
    "attendee",
    "invitee",
    "recipient",
    "moderator",
    "editor",
    "viewer",
    "delegate",
    "receiver",
    "addressee",
    "friend",
    "party",
    "behalf",
];
const PLACES: &[&str] = &[
    "channel",
    "chat",
    "room",
    "space",
    "thread",
    "conversation",
    "group",
    "team",
    "topic",
    "queue",
    "jid",
    "inbox",
    "forum",
    "stream",
    "subreddit",
    "mailbox",
    "list",
    "audience",
    "segment",
];
const ACCOUNTS: &[&str] =
    &["account", "organization", "org", "workspace", "tenant", "iban", "beneficiary", "payee", "wallet"];
const LINKS: &[&str] = &["url", "uri", "webhook", "callback", "endpoint", "href", "website"];
const HOSTS: &[&str] = &["host", "hostname", "domain", "server", "ip", "cidr", "addr"];
const PHONES: &[&str] = &["phone", "mobile", "msisdn", "whatsapp", "telephone", "fax"];
const FACES: &[&str] = &[
    "address", "email", "mail", "alias", "id", "name", "login", "phone", "value", "username", "number", "upn",
];
const RECEIVING: &[&str] = &[
    "recipient",
    "attendee",
    "invitee",
    "addressee",
    "cc",
    "bcc",
    "mention",
    "payee",
    "beneficiary",
    "participant",
];
/// Words that make an address the caller's own, or a filter on who wrote something.
const OWN: &[&str] = &[
    "my",
    "own",
    "sender",
    "from",
    "impersonate",
    "organizer",
    "author",
    "creator",
    "created",
    "modified",
    "owned",
];
/// Links whose target is loaded or called by whoever holds the tool.
const LOADED: &[&str] = &[
    "image",
    "file",
    "media",
    "source",
    "notification",
    "audio",
    "video",
    "photo",
    "avatar",
    "redirect",
    "icon",
    "download",
    "fetch",
    "logo",
    "thumbnail",
    "fallback",
    "announce",
    "hold",
    "voice",
    "sms",
    "target",
    "destination",
    "registry",
    "picture",
    "attachment",
    "document",
    "pdf",
    "feed",
    "ping",
    "lifecycle",
    "connection",
    "proxy",
    "remote",
];
/// Endings of an argument that describes rather than names.
const ASIDE: &[&str] = &[
    "type",
    "mode",
    "method",
    "count",
    "limit",
    "format",
    "status",
    "title",
    "subject",
    "body",
    "text",
    "content",
    "description",
    "label",
    "color",
    "order",
    "sort",
    "filter",
    "token",
    "cursor",
    "size",
    "role",
    "note",
    "template",
    "timeout",
    "date",
    "time",
    "start",
    "end",
    "language",
    "zone",
    "event",
    "enabled",
    "max",
    "min",
    "reason",
    "code",
    "policy",
    "strategy",
    "setting",
    "view",
    "permission",
    "message",
    "kind",
    "state",
    "field",
    "pattern",
    "header",
    "response",
    "preview",
];

/// What `leaf` may be on a tool whose whole text is `about`; `from_too` tells of a sibling named `from` or `source`.
pub(super) fn read(leaf: &Leaf, from_too: bool) -> Option<(Kind, Weight)> {
    let name = leaf.name.as_slice();
    if leaf.shape == Shape::Switch
        || leaf.shape == Shape::Number && !last(name, &["id", "uid", "sid", "number", "phone", "to"])
    {
        return None;
    }
    if !leaf.choices.is_empty() && leaf.shape != Shape::Free {
        return None;
    }
    let kind = kind(leaf);
    // An object of unknown members that is said to hold recipients.
    if leaf.shape == Shape::Free && mentions(leaf, &["recipient", "webhook", "forward", "attendee"]) {
        return Some((Kind::Unknown, Weight::Sure));
    }
    if any(name, &["webhook", "callback"]) && !last(name, ASIDE) && !last(name, &["id"]) {
        return Some((Kind::Url, Weight::Sure));
    }
    let own = any(name, OWN) || any(&leaf.around, OWN) || pair(name, "user", "email") || has_own_email(name);
    let receiving = any(name, RECEIVING) || pair(name, "share", "with") || pair(name, "forward", "to");
    if receiving && !own && !last(name, ASIDE) {
        return Some((kind.unwrap_or(Kind::Unknown), Weight::Sure));
    }
    let forwarding = any(name, &["forward", "redirect"]) || any(&leaf.around, &["forward", "redirect"]);
    if forwarding
        && (last(name, &["to", "address", "forward", "email", "url", "uri", "recipient"]))
        && !last(name, ASIDE)
    {
        return Some((kind.unwrap_or(Kind::Email), Weight::Sure));
    }
    let inside = any(&leaf.around, RECEIVING) || any(&leaf.around, &["member", "participant"]);
    if inside && !own && any(name, FACES) && !last(name, ASIDE) {
        return Some((
            kind.unwrap_or(Kind::User),
            if any(&leaf.around, RECEIVING) { Weight::Sure } else { Weight::Likely },
        ));
    }
    if name.first().is_some_and(|w| w == "to") && !last(name, ASIDE) {
        let named = kind.is_some_and(|k| k != Kind::Reference)
            || mentions(leaf, &["recipient", "email", "phone", "receiver", "send to"]);
        if named || name.len() == 1 && !from_too {
            return Some((kind.unwrap_or(Kind::Unknown), Weight::Sure));
        }
    }
    if own {
        return None;
    }
    let kind = kind?;
    if kind == Kind::Url && any(name, LOADED) {
        return Some((kind, Weight::Sure));
    }
    Some((kind, if kind == Kind::Reference { Weight::Target } else { Weight::Likely }))
}

/// `user_google_email`: the account that the server acts for.
fn has_own_email(name: &[String]) -> bool {
    name.len() > 2 && name.first().is_some_and(|w| w == "user") && last(name, &["email"])
}

fn mentions(leaf: &Leaf, texts: &[&str]) -> bool {
    texts.iter().any(|t| leaf.text.contains(t))
}

/// The kind that a leaf's format and name tell.
fn kind(leaf: &Leaf) -> Option<Kind> {
    let name = leaf.name.as_slice();
    match leaf.format.as_str() {
        "email" | "idn-email" => return Some(Kind::Email),
        "uri" | "url" | "iri" | "uri-reference" => return Some(Kind::Url),
        "hostname" | "ipv4" | "ipv6" | "idn-hostname" => return Some(Kind::Host),
        "phone" => return Some(Kind::Phone),
        "date" | "date-time" | "time" | "duration" | "byte" | "binary" => return None,
        _ => {}
    }
    if last(name, ASIDE) {
        return None;
    }
    if last(name, &["source", "image", "video", "audio", "media", "picture", "photo"])
        && mentions(leaf, &["url", "http"])
    {
        return Some(Kind::Url);
    }
    if any(name, LINKS) && !any(name, &["id"]) {
        return Some(Kind::Url);
    }
    let around_mail = any(&leaf.around, &["email", "mail"]);
    if any(name, &["email", "mail", "cc", "bcc"]) && !any(name, &["id", "uid"])
        || last(name, &["address"]) && around_mail
    {
        return Some(Kind::Email);
    }
    if any(name, PHONES) {
        return Some(Kind::Phone);
    }
    if any(name, HOSTS) || pair(name, "connection", "string") {
        return Some(Kind::Host);
    }
    if any(name, PLACES) {
        return Some(Kind::Channel);
    }
    if any(name, PEOPLE) || any(name, RECEIVING) || last(name, &["handle"]) {
        return Some(if mentions(leaf, &["email"]) { Kind::Email } else { Kind::User });
    }
    if any(name, &["repo", "repository"]) || name.len() == 1 && last(name, &["owner"]) {
        return Some(Kind::Repository);
    }
    if any(name, ACCOUNTS) {
        return Some(Kind::Account);
    }
    if name.len() == 1 && last(name, &["to"]) {
        return if mentions(leaf, &["phone"]) {
            Some(Kind::Phone)
        } else if mentions(leaf, &["email", "mail"]) {
            Some(Kind::Email)
        } else {
            None
        };
    }
    if last(name, &["id", "key", "uid", "uuid", "guid", "slug", "sid", "ref", "chart", "package"])
        || mentions(leaf, &["identifier of"])
    {
        return Some(Kind::Reference);
    }
    None
}

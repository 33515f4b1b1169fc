//! Who stands in the body of a request to Microsoft Graph.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{formula, mail, rendered};

/// Requests that reach nobody without a receiver in their body: where none is found, the body is in a form
/// that this pack cannot read.
const ADDRESSED: [&str; 10] = [
    "send-mail",
    "send-shared-mailbox-mail",
    "forward-mail-message",
    "forward-shared-mailbox-mail",
    "forward-calendar-event",
    "share-drive-item",
    "add-group-member",
    "add-group-owner",
    "add-team-member",
    "create-subscription",
];

/// Pages in HTML, whose pictures the service fetches.
const DRAWN: [&str; 4] = [
    "create-onenote-page",
    "create-onenote-section-page",
    "create-sharepoint-site-onenote-section-page",
    "update-sharepoint-site-onenote-page-content",
];

const CELLS: [&str; 3] = ["add-excel-table-rows", "update-excel-range", "update-excel-table-row"];

pub(crate) fn judge(call: &Call<'_>, destinations: &[Destination]) -> Judgement {
    let mut judgement = Judgement::new();
    if DRAWN.contains(&call.tool()) {
        for (pointer, text) in call.leaves("/body") {
            for address in rendered::fetched(&text) {
                mail::add(&mut judgement, destinations, address, Kind::Url, &pointer);
            }
        }
        return judgement;
    }
    if CELLS.contains(&call.tool()) {
        formula::asked_of_workbook(call, "/body", destinations, &mut judgement);
        return judgement;
    }
    let mut found = false;
    for (pointer, text) in call.leaves("/body") {
        let Some(kind) = receives(&pointer.to_ascii_lowercase()) else { continue };
        found = true;
        let value = match kind {
            Kind::User => bound(&text).to_owned(),
            _ => text,
        };
        mail::add(&mut judgement, destinations, value, kind, &pointer);
    }
    let is_object = matches!(call.get("/body"), None | Some(Value::Object(_) | Value::Null));
    if !is_object || !found && ADDRESSED.contains(&call.tool()) {
        let text = "who receives this cannot be read from the request";
        judgement.push(Finding::ask("unread_body", text).at("/body"));
    }
    match call.tool() {
        "create-drive-item-share-link" => link(call, &mut judgement),
        "create-drive-item-preview" => {
            let text = "anyone who has the address of the preview could open the file";
            judgement.push(Finding::ask("open_to_anyone", text).at("/body"));
        }
        tool if tool.contains("reply-all") => {
            let text = "the receivers are everyone who wrote in the thread, not only those named";
            judgement.push(Finding::ask("reply_all", text));
        }
        _ => {}
    }
    judgement
}

/// The kind of party at this place of a body, whose letters are in lower case.
fn receives(pointer: &str) -> Option<Kind> {
    let mut parts = pointer.rsplit('/').filter(|part| part.parse::<usize>().is_err());
    let last = parts.next().unwrap_or_default();
    let above = parts.next().unwrap_or_default();
    let within = |word: &str| pointer.split('/').any(|part| part == word);
    // Whom a mail is from receives nothing.
    if within("from") || within("sender") {
        return None;
    }
    if last.contains("odata.bind") || last.contains("odata.id") {
        return Some(Kind::User);
    }
    match last {
        "address" if above == "emailaddress" => Some(Kind::Email),
        "email" | "alias" if within("recipients") => Some(Kind::Email),
        "userprincipalname" | "mail" | "email" if within("members") || within("owners") => Some(Kind::User),
        "objectid" => Some(Kind::User),
        "id" if above == "user" && within("mentioned") => Some(Kind::User),
        "id" if above == "members" || pointer == "/body/id" => Some(Kind::User),
        "notificationurl" | "lifecyclenotificationurl" => Some(Kind::Url),
        "contenturl" if within("attachments") => Some(Kind::Url),
        _ => None,
    }
}

/// `https://graph.microsoft.com/v1.0/users('ann@x.io')` and `.../users/ID` are `ann@x.io` and `ID`.
fn bound(text: &str) -> &str {
    let quoted = text.split_once("('").and_then(|(_, rest)| rest.split_once("')")).map(|(inside, _)| inside);
    quoted
        .unwrap_or_else(|| if text.contains("://") { text.rsplit('/').next().unwrap_or(text) } else { text })
}

/// A link for the organisation or for anyone; one for named people opens the file for those alone.
fn link(call: &Call<'_>, judgement: &mut Judgement) {
    let scope =
        call.leaves("/body").into_iter().find(|(pointer, _)| pointer.eq_ignore_ascii_case("/body/scope"));
    match scope.as_ref().map(|(_, scope)| scope.trim().to_ascii_lowercase()).as_deref() {
        Some("users" | "existingaccess") => {}
        Some("organization") => {
            let text = "everybody of the organisation could open the file";
            judgement.push(Finding::ask("open_to_organisation", text).at("/body/scope"));
        }
        // Without one the tenant's own default counts, which may be anyone.
        _ => {
            let text = "anyone who has the link could open the file";
            judgement.push(Finding::ask("open_to_anyone", text).at("/body"));
        }
    }
}

//! Events: guests are destinations, and those whom an event that is changed has already are told of what is written.

use bouncer_guest::prelude::*;
use bouncer_pack_table::mail;
use bouncer_pack_table::text::is_filled;

/// What of an event its guests read.
const WRITTEN: [&str; 7] = [
    "/summary",
    "/description",
    "/location",
    "/attachments",
    "/conference_uri",
    "/conferenceData",
    "/rsvp_comment",
];

pub(crate) fn judge(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    mail::receivers(call, &["/attendees"], destinations, judgement);
    for (pointer, text) in call.leaves("/events") {
        let guest = pointer.contains("/attendees/") || pointer == "/events";
        if guest {
            mail::add_addresses(judgement, destinations, &text, &pointer);
        }
    }
    // Another calendar than the user's own is read by those who share it.
    for (pointer, id) in
        ["/calendarId", "/calendar_id", "/events/*/calendarId"].iter().flat_map(|at| call.leaves(at))
    {
        if !id.trim().eq_ignore_ascii_case("primary") && call.text("/user_google_email") != Some(id.as_str())
        {
            mail::add(judgement, destinations, id, Kind::Channel, &pointer);
        }
    }
    let action = call.text("/action").map(|action| action.trim().to_ascii_lowercase());
    let changes = match action.as_deref() {
        Some("create") => false,
        Some("update" | "rsvp") => true,
        Some("delete") => {
            judgement.push(
                Finding::ask("deleted", "the event would be deleted, and its guests told").at("/action"),
            );
            false
        }
        Some(_) => {
            judgement.push(
                Finding::ask("unknown_action", "the action is none that this pack knows").at("/action"),
            );
            false
        }
        None => call.tool() == "update-event",
    };
    if changes && WRITTEN.iter().any(|at| is_filled(call.get(at))) {
        for (pointer, id) in ["/eventId", "/event_id"].iter().flat_map(|at| call.leaves(at)) {
            mail::add(judgement, destinations, id, Kind::Reference, &pointer);
        }
    }
}

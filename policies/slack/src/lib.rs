//! Policy pack for Slack: the channel receives what is posted; a list of members in one string is taken
//! apart; links that can carry data out (Slack fetches them for a preview) and mentions that call everybody
//! are asked about.

mod table;

use bouncer_guest::prelude::*;
use bouncer_pack_table::find;
pub use bouncer_pack_table::link::{carries_data, links};
pub use table::TABLE;

/// What happens to a link that can carry data.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Links {
    /// A person is asked, once per session.
    #[default]
    Ask,
    /// Every link is judged as a destination: where it comes from decides.
    Judge,
    /// Nothing: for workspaces where link previews are off.
    Allow,
}

/// Settings: `[packs.slack]` of the user's policy.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// What happens to links in a message.
    pub links: Links,
}

/// The policy.
#[derive(Debug)]
pub struct Slack;

impl Policy for Slack {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
        Ok(TABLE.contracts(tools))
    }

    fn evaluate(
        call: &Call<'_>,
        destinations: &[Destination],
        settings: &Settings,
    ) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        if call.tool() == "usergroups_users_update" {
            members(call, destinations, &mut judgement);
            return Ok(judgement);
        }
        let (mut asked, mut called) = (false, false);
        // `blocks` is JSON in a string: links stand in it as they are.
        for param in ["/text", "/blocks"] {
            for (pointer, text) in call.leaves(param) {
                if !called && BROADCASTS.iter().any(|word| find(&text, word).is_some()) {
                    called = true;
                    let said = "the message calls everybody in the channel";
                    judgement.push(Finding::ask("broadcast_mention", said).at(pointer.clone()));
                }
                for link in links(&text) {
                    match settings.links {
                        Links::Judge => judgement.push_destination(link, Kind::Url, pointer.clone()),
                        Links::Ask if !asked && carries_data(&link) => {
                            asked = true;
                            let said = format!(
                                "Slack may fetch `{}` for a preview, and the link is long enough to carry data",
                                shortened(&link)
                            );
                            judgement.push(Finding::ask("link_carries_data", said).at(pointer.clone()));
                        }
                        Links::Ask | Links::Allow => {}
                    }
                }
            }
        }
        Ok(judgement)
    }
}

/// How the API writes `@channel`, `@here` and `@everyone`, in text and in blocks.
const BROADCASTS: [&str; 6] = [
    "<!channel",
    "<!here",
    "<!everyone",
    "\"range\":\"channel\"",
    "\"range\":\"here\"",
    "\"range\":\"everyone\"",
];

/// `U1, U2` names two people; each is judged by itself.
fn members(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, text) in call.leaves("/users") {
        for user in text.split([',', ';', ' ', '\n', '\t']).map(str::trim).filter(|user| !user.is_empty()) {
            if !destinations.iter().any(|known| known.argument == pointer && known.value.trim() == user) {
                judgement.push_destination(user, Kind::User, pointer.clone());
            }
        }
    }
}

fn shortened(link: &str) -> String {
    let start: String = link.chars().take(60).collect();
    if start.len() < link.len() { format!("{start}...") } else { start }
}

export_policy!(Slack);

#[cfg(test)]
mod tests;

//! What can be filled in: names of servers, packs and levels.

use super::house::House;
use super::{packs, pinned, prompts, resources};
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};
use std::collections::BTreeSet;

/// The values that begin with what is typed so far.
pub(super) fn values(house: &House, asked: &CompleteRequestParams) -> Option<CompletionInfo> {
    let argument = asked.argument.name.as_str();
    let all: Vec<String> = match (&asked.r#ref, argument) {
        (Reference::Prompt(prompt), "server_name") if prompts::room(&prompt.name).is_ok() => servers(house),
        (Reference::Prompt(prompt), "risk_level") if prompt.name == "generate_bouncer_policy" => {
            prompts::LEVELS.map(str::to_owned).to_vec()
        }
        (Reference::Resource(template), "pack") if template.uri == resources::PACK => packs::all_names(house),
        (Reference::Resource(template), "server") if template.uri == resources::SERVER => {
            pinned::servers(house).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let fits: Vec<String> =
        all.into_iter().filter(|value| value.starts_with(&asked.argument.value)).collect();
    let total = u32::try_from(fits.len()).ok();
    let more = fits.len() > CompletionInfo::MAX_VALUES;
    let first = fits.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    CompletionInfo::with_pagination(first, total, more).ok()
}

/// Servers that something is pinned of or that the user's policy names.
fn servers(house: &House) -> Vec<String> {
    let mut names: BTreeSet<String> = pinned::servers(house).unwrap_or_default().into_iter().collect();
    if let Ok(policy) = house.policy() {
        names.extend(policy.tools().filter_map(|(server, _)| server.map(str::to_owned)));
    }
    names.into_iter().collect()
}

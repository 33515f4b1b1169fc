//! A rule that limits what one call may spend, and how often it may be made: modules keep no state, so the most that all
//! calls together can spend is the one times the other.

use bouncer_guest::prelude::*;
use std::collections::BTreeMap;

/// What one tool may spend.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Where the amount stands: a path, `/amount` or `/items/*/amount`; several amounts are added up.
    pub amount: String,
    /// The most that one call may spend, in the tool's own unit (cents for Stripe, units of money for others).
    pub per_call: f64,
    /// Calls in a session; attempts count.
    pub calls: u64,
    /// Where the currency stands, if the tool takes one.
    #[serde(default)]
    pub currency: Option<String>,
    /// Currencies that the limit is meant for, as the tool writes them.
    #[serde(default)]
    pub currencies: Vec<String>,
}

/// Settings of the rule: a limit for each tool.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// By tool name.
    pub tools: BTreeMap<String, Limit>,
    /// Whether more than the limit is asked about in the place of being refused.
    pub ask: bool,
}

/// The rule.
#[derive(Debug)]
pub struct SpendingLimit;

impl Policy for SpendingLimit {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], settings: &Settings) -> Result<Vec<Contract>, Error> {
        for (tool, limit) in &settings.tools {
            if !limit.per_call.is_finite() || limit.per_call < 0.0 || !limit.amount.starts_with('/') {
                return Err(Error::new(format!("settings: the limit of `{tool}` is none")));
            }
        }
        let limited = tools.iter().filter_map(|tool| Some((tool.name(), settings.tools.get(tool.name())?)));
        Ok(limited.map(|(name, limit)| Contract::new(name).max_calls(limit.calls).evaluate()).collect())
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], settings: &Settings) -> Result<Judgement, Error> {
        let Some(limit) = settings.tools.get(call.tool()) else { return Ok(Judgement::new()) };
        let refuse = |code: &str, text: String| {
            if settings.ask { Finding::ask(code, text) } else { Finding::deny(code, text) }
        };
        let mut judgement = Judgement::new();
        let amounts = call.texts(&limit.amount);
        let read: Option<Vec<f64>> = amounts.iter().map(|text| amount(text)).collect();
        // Without an amount some tools take all there is: a refund of the whole payment.
        match read.filter(|amounts| !amounts.is_empty()) {
            None => judgement.push(
                refuse("no_amount", "how much would be spent cannot be read".to_owned())
                    .at(limit.amount.as_str()),
            ),
            Some(amounts) => {
                let sum: f64 = amounts.iter().map(|amount| amount.abs()).sum();
                if sum > limit.per_call {
                    let text = format!("{sum} is more than the {} that one call may spend", limit.per_call);
                    judgement.push(refuse("over_limit", text).at(limit.amount.as_str()));
                }
            }
        }
        if let Some(path) = &limit.currency {
            let said = call.texts(path);
            let known =
                |text: &String| limit.currencies.iter().any(|known| known.eq_ignore_ascii_case(text.trim()));
            if said.is_empty() || !said.iter().all(known) {
                let text = "the limit is meant for another currency".to_owned();
                judgement.push(refuse("other_currency", text).at(path.as_str()));
            }
        }
        Ok(judgement)
    }
}

/// A plain number, with a point before its decimals; `None` for anything that a tool might read otherwise (`1e9`,
/// `1,000`, `NaN`).
fn amount(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain =
        digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') && digits.bytes().any(|b| b.is_ascii_digit());
    if plain { text.parse().ok().filter(|number: &f64| number.is_finite()) } else { None }
}

export_policy!(SpendingLimit);

#[cfg(test)]
mod tests;

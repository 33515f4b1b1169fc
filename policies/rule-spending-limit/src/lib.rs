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
            let path = limit.currency.as_deref();
            if path.is_some_and(|path| !path.starts_with('/'))
                || path.is_none() != limit.currencies.is_empty()
            {
                return Err(Error::new(format!(
                    "settings: `{tool}` needs `currency`, a path, and `currencies`"
                )));
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
        let read = values(call.arguments(), &limit.amount)
            .and_then(|values| values.into_iter().map(amount).collect::<Option<Vec<f64>>>());
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
            let known = |value: &Value| {
                let text = value.as_str().unwrap_or_default().trim();
                limit.currencies.iter().any(|known| known.eq_ignore_ascii_case(text))
            };
            let said = values(call.arguments(), path);
            if !said.is_some_and(|said| !said.is_empty() && said.into_iter().all(known)) {
                let text = "the limit is meant for another currency".to_owned();
                judgement.push(refuse("other_currency", text).at(path.as_str()));
            }
        }
        Ok(judgement)
    }
}

/// What stands at every place that the path means; `None` where one of them lacks it, for a tool that sends four items and
/// an amount for three of them may take all there is for the fourth.
fn values<'v>(arguments: &'v Value, path: &str) -> Option<Vec<&'v Value>> {
    let mut here = vec![arguments];
    for step in path.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        let mut next = Vec::new();
        for value in here {
            match (value, step) {
                (Value::Array(items), "*") => next.extend(items),
                (Value::Object(map), "{}") => next.extend(map.values()),
                (_, "*" | "{}") => return None,
                _ => {
                    let child = value.pointer(&format!("/{step}"))?;
                    // A tool that tells letters not apart takes the last of `amount` and `Amount`.
                    if value
                        .as_object()
                        .is_some_and(|map| map.keys().filter(|known| same(known, &name)).count() > 1)
                    {
                        return None;
                    }
                    next.push(child);
                }
            }
        }
        here = next;
    }
    Some(here)
}

/// Whether two names are one to a reader that does not tell letters apart; Go's takes the long s and the Kelvin sign for
/// letters, too.
fn same(name: &str, other: &str) -> bool {
    let folded = |c: char| match c {
        'ſ' => 's',
        'K' => 'k',
        c => c.to_ascii_lowercase(),
    };
    name.chars().map(folded).eq(other.chars().map(folded))
}

/// A plain number, with a point before its decimals; `None` for anything that a tool might read otherwise (`1e9`,
/// `1,000`, `1.000`, `NaN`), and for nothing at all, which many take for no amount.
fn amount(value: &Value) -> Option<f64> {
    let text = match value {
        Value::Number(number) => number.as_str(),
        Value::String(text) => text.trim(),
        _ => return None,
    };
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain =
        digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') && digits.bytes().any(|b| b.is_ascii_digit());
    let thousands =
        value.as_str().is_some() && digits.split_once('.').is_some_and(|(_, rest)| rest.len() == 3);
    // `010` is eight to some.
    let octal = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if !plain || thousands || octal {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number != 0.0)
}

export_policy!(SpendingLimit);

#[cfg(test)]
mod tests;

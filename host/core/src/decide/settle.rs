//! Settling: all findings into one ruling. The strictest verdict wins, ties go to the earlier contract.

use super::note::Note;
use crate::ruling::{Finding, Question, Ruling};
use crate::verdict::{ContractName, Verdict};

/// How many texts of the deciding contract a reason holds.
const MAX_TEXTS: usize = 3;

/// The ruling that follows from `notes`.
pub(super) fn settle(mut notes: Vec<Note>) -> Ruling {
    notes.sort_by_key(|note| note.finding.contract);
    let verdict = notes.iter().map(|n| n.finding.verdict).fold(Verdict::Allow, Verdict::join);
    if verdict == Verdict::Allow {
        return Ruling {
            verdict,
            contract: ContractName::Default,
            reason: String::new(),
            findings: findings(notes),
            questions: Vec::new(),
        };
    }
    let contract = notes
        .iter()
        .find(|n| n.finding.verdict == verdict)
        .map_or(ContractName::Default, |n| n.finding.contract);
    let deciding: Vec<&Note> =
        notes.iter().filter(|n| n.finding.contract == contract && n.finding.verdict == verdict).collect();
    let mut texts: Vec<String> =
        deciding.iter().take(MAX_TEXTS).map(|n| n.finding.text.to_string()).collect();
    if deciding.len() > MAX_TEXTS {
        texts.push(format!("and {} more", deciding.len() - MAX_TEXTS));
    }
    let questions = questions(verdict, &notes);
    Ruling { verdict, contract, reason: texts.join("; "), findings: findings(notes), questions }
}

fn findings(notes: Vec<Note>) -> Vec<Finding> {
    notes.into_iter().map(|note| note.finding).collect()
}

/// One question a key, and none at all where one ask could not be answered: an answer to the rest would not help.
fn questions(verdict: Verdict, notes: &[Note]) -> Vec<Question> {
    let mut asked: Vec<Question> = Vec::new();
    if verdict != Verdict::Ask {
        return asked;
    }
    for note in notes.iter().filter(|n| n.finding.verdict == Verdict::Ask) {
        match &note.question {
            None => return Vec::new(),
            Some(question) if !asked.iter().any(|q| q.key == question.key) => {
                asked.push(Question::clone(question))
            }
            Some(_) => {}
        }
    }
    asked
}

//! Sums: an index, an offset, a comparison of numbers. A shell works them out from what variables hold, and where one holds
//! `a[$(x)]`, it runs `x`.

use super::Word;

/// A variable's name, and what follows it.
fn named(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or_default()
}

/// Whether an index is a number, or means all of them.
fn is_plain_index(index: &str) -> bool {
    matches!(index, "@" | "*") || index.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit())
}

/// Whether what stands in `${...}` has no index and no offset, or numbers; `$` marks what is not known.
pub(super) fn runs_nothing(text: &str) -> bool {
    let text = text.strip_prefix('#').unwrap_or(text);
    let (name, rest) = named(text);
    let rest =
        if name.is_empty() { rest.strip_prefix(['@', '*', '?', '$', '-']).unwrap_or(rest) } else { rest };
    let (index, rest) = match rest.strip_prefix('[').map(|rest| rest.split_once(']').unwrap_or((rest, ""))) {
        Some(found) => found,
        None => ("", rest),
    };
    let offset =
        rest.strip_prefix(':').filter(|rest| !rest.starts_with(['-', '=', '?', '+'])).unwrap_or_default();
    is_plain_index(index) && offset.bytes().all(|b| b.is_ascii_digit() || b" -+:()".contains(&b))
}

/// The variable that `${NAME:=...}` sets.
pub(super) fn sets(text: &str) -> Option<&str> {
    let (name, rest) = named(text);
    (rest.starts_with(":=") || rest.starts_with('=')).then_some(name)
}

/// Whether this names a variable by an index that is not a number: `a[x]`, `a[x]=1`.
pub(super) fn has_index(text: &str) -> bool {
    let (name, rest) = named(text);
    let index = rest.strip_prefix('[').map(|rest| rest.split_once(']').map_or(rest, |(index, _)| index));
    !name.is_empty() && index.is_some_and(|index| !is_plain_index(index))
}

/// Words from which a shell takes a command that stands quoted in them: `[ -v 'a[$(x)]' ]` runs `x`.
pub(super) fn hides_command(words: &[Word]) -> bool {
    words.iter().any(|word| {
        let index = word.text.split_once('[').map_or("", |(_, index)| index);
        index.contains("$(") || index.contains('`')
    })
}

/// Whether a sum or a variable's name is made of what is not known: `[[ $x -eq 0 ]]` runs `y` where `x` is `a[$(y)]`.
pub(super) fn takes_index(program: &str, words: &[Word]) -> bool {
    let number = |word: &Word| {
        !word.uncertain && word.text.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit())
    };
    let unsure = |word: &Word| word.uncertain || has_index(&word.text);
    let sums = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
    if program == "wait" {
        // `-p NAME`, in a cluster too; the number of a job is none.
        return words.iter().any(|word| match word.ends() {
            _ if word.uncertain => word.may_begin("-") && word.text != "!",
            (text, _) => has_index(text) || text.split_once('p').is_some_and(|(_, name)| has_index(name)),
        });
    }
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at.saturating_add(1));
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        match word.text.as_str() {
            _ if program == "unset" => unsure(word),
            "-v" | "-R" if !word.uncertain => next.is_some_and(unsure),
            sum if program == "[[" && sums.contains(&sum) => {
                ![before, next].into_iter().flatten().all(number)
            }
            // Outside of `[[` a variable may hold `-v`, and the name after it.
            _ if program != "[[" && word.uncertain => {
                let test = word.may_be("-v") || word.may_be("-R");
                word.several || test && next.is_some_and(unsure)
            }
            _ => false,
        }
    })
}

//! Telephone numbers in E.164 form: digits with care, no table of national plans.

/// `+49 (0)30 1234-567` and `0049 30 1234567` are `+49301234567`. A national number keeps its digits, without `+`: it
/// equals only what is written nationally as well.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text
        .get(..4)
        .filter(|p| p.eq_ignore_ascii_case("tel:"))
        .map_or(text, |_| text.get(4..).unwrap_or(""));
    // `;ext=`, `;phone-context=` change who is called: kept as written.
    let (number, extension) = text.split_once(';').map_or((text, ""), |(n, e)| (n, e));
    let number = number.trim();
    let international = number.starts_with('+') || number.starts_with("00");
    let number = if international { number.replacen("(0)", "", 1) } else { number.to_owned() };
    let mut digits = String::new();
    for (i, c) in number.chars().enumerate() {
        match c {
            '0'..='9' => digits.push(c),
            '+' if i == 0 => {}
            ' ' | '-' | '.' | '(' | ')' | '/' | '\u{a0}' | '\u{2010}'..='\u{2015}' => {}
            _ => return None,
        }
    }
    if !number.starts_with('+') && international {
        digits.drain(..2);
    }
    if !(5..=15).contains(&digits.len()) {
        return None;
    }
    let plus = if international { "+" } else { "" };
    let extension =
        if extension.is_empty() { String::new() } else { format!(";{}", extension.to_ascii_lowercase()) };
    Some(format!("{plus}{digits}{extension}"))
}

//! Bank accounts, cards and wallets.

/// Characters of the longest IBAN.
const LONGEST: usize = 34;

/// Without the blanks and hyphens that group it; letters in upper case where it is an IBAN, otherwise as written.
pub(crate) fn canonical(text: &str) -> Option<String> {
    if let Some(iban) = iban(text) {
        return Some(iban);
    }
    let text = text.trim();
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some(digits);
    }
    (!text.is_empty()).then(|| text.to_owned())
}

/// An International Bank Account Number by its form; its check digits decide nothing, since a payment to a number
/// with wrong ones is still a payment somebody chose.
pub(crate) fn iban(text: &str) -> Option<String> {
    let mut compact = String::with_capacity(LONGEST);
    for c in text.chars().filter(|c| !c.is_whitespace() && *c != '-') {
        if compact.len() == LONGEST {
            return None;
        }
        compact.push(c.to_ascii_uppercase());
    }
    let bytes = compact.as_bytes();
    let (head, rest) = bytes.split_at_checked(4)?;
    let sound = (14..=LONGEST).contains(&bytes.len())
        && head.iter().take(2).all(u8::is_ascii_uppercase)
        && head.iter().skip(2).all(u8::is_ascii_digit)
        && rest.iter().all(u8::is_ascii_alphanumeric)
        && rest.iter().filter(|b| b.is_ascii_digit()).count() >= 6;
    sound.then_some(compact)
}

/// Whether the check digits are right (ISO 7064, mod 97).
pub(crate) fn checks(iban: &str) -> bool {
    let Some((head, rest)) = iban.split_at_checked(4) else { return false };
    let mut remainder = 0_u32;
    for c in rest.chars().chain(head.chars()) {
        let Some(d) = c.to_digit(36) else { return false };
        remainder = (remainder * if d > 9 { 100 } else { 10 } + d) % 97;
    }
    remainder == 1
}

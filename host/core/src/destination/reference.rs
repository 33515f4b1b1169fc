//! Opaque ids: exact text.

/// The text without the blanks around it.
pub(crate) fn canonical(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|t| !t.is_empty())
}

//! Channels and users: names, handles and ids, with or without `#` or `@`.

/// The name without its sigil, in lower case. No compatibility folding: a look-alike is another name.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let name = bare(text);
    (!name.is_empty()).then(|| name.to_lowercase())
}

/// The name without `#`, `@`, and the `<#C123|general>` and `<@U123>` forms of chat systems.
pub(crate) fn bare(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix('<').and_then(|t| t.strip_suffix('>')).unwrap_or(text);
    let name = inner.strip_prefix(['#', '@']).unwrap_or(inner);
    if inner.len() < text.len() { name.split('|').next().unwrap_or(name).trim() } else { name.trim() }
}

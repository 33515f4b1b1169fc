//! One form for texts and for values looked up in them: NFKC, lower case, blanks collapsed, invisible characters gone.
//!
//! Folding only ever helps to *find* a value in untrusted text; nothing is vouched for by its folded form.

use icu_normalizer::ComposingNormalizerBorrowed;

/// Stands between two texts in the index; folding never yields it.
pub(super) const SEPARATOR: char = '\0';

/// Characters without a shape of their own: zero-width, bidi controls, tags, variation selectors, soft hyphen.
pub(super) fn invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The folded form of a text.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

/// Appends the folded form of `text`. Leading and trailing blanks are dropped.
pub(super) fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        return fold_ascii(text.as_bytes(), out);
    }
    let start = out.len();
    let mut blank = true;
    let mut put = |c: char| {
        if c.is_whitespace() || c.is_control() {
            if !blank {
                out.push(' ');
            }
            blank = true;
        } else if !invisible(c) {
            blank = false;
            // The ideographic full stop separates labels as `.` does.
            out.push(if c == '\u{3002}' { '.' } else { c });
        }
    };
    // Invisible characters go first: they would keep a base and its accent apart.
    let visible: String = text.chars().filter(|c| !invisible(*c)).collect();
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let lower: String = nfkc.normalize(&visible).chars().flat_map(char::to_lowercase).collect();
    nfkc.normalize(&lower).chars().for_each(&mut put);
    if out.len() > start && out.ends_with(' ') {
        out.pop();
    }
}

/// Lower case; blanks and control characters are one blank.
const ASCII: [u8; 256] = {
    let mut table = [b' '; 256];
    let mut b = 0x21_u8;
    while b < 0x7f {
        // Constant evaluation has no iterators.
        #[allow(clippy::indexing_slicing)]
        {
            table[b as usize] = b.to_ascii_lowercase();
        }
        b += 1;
    }
    table
};

fn fold_ascii(text: &[u8], out: &mut String) {
    let mut bytes = vec![0_u8; text.len()];
    let mut len = 0;
    let mut last = b' ';
    for b in text {
        let c = ASCII.get(usize::from(*b)).copied().unwrap_or(b' ');
        if let Some(place) = bytes.get_mut(len) {
            *place = c;
        }
        // Written over by the next one where it is a second blank.
        len += usize::from(c != b' ' || last != b' ');
        last = c;
    }
    bytes.truncate(len);
    if bytes.last() == Some(&b' ') {
        bytes.pop();
    }
    out.push_str(std::str::from_utf8(&bytes).unwrap_or(""));
}

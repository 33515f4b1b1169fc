//! What is fetched while HTML or markdown is drawn: by a browser that makes a PDF of it, or by a service that
//! makes a document of it. Whoever answers for such an address receives what is written into it.
//!
//! It reads as leniently as a browser does: entities, `\` for `/`, and addresses that leave the scheme out.
//! What has a host is one, whatever the host looks like.

use crate::find;

#[path = "rendered_active.rs"]
mod active;
pub use active::is_active;

/// Every address of a text, in order.
#[must_use]
pub fn addresses(text: &str) -> Vec<String> {
    found(&resolved(text)).into_iter().map(|(_, address)| address).collect()
}

/// The addresses that are fetched without anybody's click. Of plain markdown these are the pictures'; where a
/// tag stands that could fetch, all are: what belongs to which tag is a question of quotes inside of quotes.
#[must_use]
pub fn fetched(text: &str) -> Vec<String> {
    let text = resolved(text);
    let all = draws(&text.to_ascii_lowercase());
    if !all && find(&text, "![").is_none() {
        return Vec::new();
    }
    let mut addresses = found(&text);
    if all && text.contains('\\') {
        addresses.extend(found(&active::without_escapes(&text)));
        let mut seen = Vec::new();
        addresses.retain(|(_, address)| {
            !seen.contains(address) && {
                seen.push(address.clone());
                true
            }
        });
    }
    let mut pictures = Pictures::default();
    addresses.retain(|(at, _)| all || pictures.shows(&text, *at));
    addresses.into_iter().map(|(_, address)| address).collect()
}

/// Tags that fetch nothing by themselves.
const PLAIN: &str = " a abbr article b blockquote body br caption center cite code col colgroup dd del details \
    div dl dt em font footer h1 h2 h3 h4 h5 h6 head header hr html http https i ins kbd li \
    main mark meta nav ol p pre q s section small span strong sub summary sup table tbody td \
    tfoot th thead title tr u ul ";

/// Whether HTML, in small letters, has a tag, an attribute or a style that could fetch.
fn draws(lower: &str) -> bool {
    const FETCH: [&str; 7] = ["url(", "http-equiv", "image-set(", "@import", "background=", "src=", "srcset"];
    const CONTENT: &str = " audio embed file iframe image img link script source style svg video ";
    let plain = |(at, _): (usize, &str)| {
        let tag = lower.get(at.saturating_add(1)..).unwrap_or_default();
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or_default();
        let is_one_of = |names| find(names, &format!(" {name} ")).is_some();
        // `Vec<u8>`: nothing that a tag without attributes could fetch by.
        let generic =
            lower.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric()))
                && tag.get(name.len()..).is_some_and(|rest| rest.starts_with('>'));
        !name.starts_with(|c: char| c.is_ascii_alphabetic())
            || is_one_of(PLAIN)
            || generic && !name.contains('-') && !is_one_of(CONTENT)
    };
    !lower.match_indices('<').all(plain)
        || FETCH.iter().any(|word| find(lower, word).is_some())
        || find(lower, "style").is_some() && lower.contains('\\')
}

/// What of markdown may be a picture's, read from one address to the next.
#[derive(Default)]
struct Pictures {
    read: usize,
    before: u8,
    /// `![` stands in this paragraph, and in this line.
    in_paragraph: bool,
    in_line: bool,
    has_words: bool,
    /// A `[` that is no picture's is the last bracket, with nothing behind it that could hide one.
    opened: bool,
    /// The last `]` closed such a one: what stands in brackets behind it is a link's.
    link: bool,
}

impl Pictures {
    /// Whether the address at this place can be a picture's, or has a name that a picture can be given by.
    fn shows(&mut self, text: &str, at: usize) -> bool {
        for byte in text.as_bytes().get(self.read..at).unwrap_or_default() {
            self.step(*byte);
        }
        self.read = at;
        let lead = text.get(..at).unwrap_or_default();
        let lead = lead.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '<' | '>'));
        if lead.ends_with('(') {
            return self.in_paragraph && !(self.link && lead.ends_with("]("));
        }
        self.in_line || lead.ends_with("]:")
    }

    fn step(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.in_paragraph &= self.has_words;
                self.opened &= self.has_words;
                (self.in_line, self.has_words) = (false, false);
            }
            b' ' | b'\t' | b'\r' => {}
            b'[' => {
                let picture = self.before == b'!';
                self.in_paragraph |= picture;
                self.in_line |= picture;
                self.opened = !picture && self.before != b'\\';
            }
            b']' => {
                self.link = self.opened;
                self.opened = false;
            }
            b'\\' | b'`' | b'<' | b'>' => self.opened = false,
            _ => {}
        }
        self.has_words |= !matches!(byte, b'\n' | b' ' | b'\t' | b'\r');
        self.before = byte;
    }
}

fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\\')
}

/// What a browser leaves out of an address.
fn is_break(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r')
}

/// Addresses and where they start. `text` has its entities resolved.
fn found(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut end = 0;
    for (at, mark) in text.char_indices().filter(|(_, c)| *c == ':' || is_slash(*c)) {
        let scheme = text.get(..at).filter(|_| mark == ':').and_then(scheme);
        if at < end || mark == ':' && scheme.is_none() {
            continue;
        }
        let (name, start) = scheme.unwrap_or(("", at));
        let tail = at.saturating_add(usize::from(mark == ':'));
        let (Some(before), Some(tail)) = (text.get(..start), text.get(tail..)) else { continue };
        let address = tail.trim_start_matches(|c| is_slash(c) || is_break(c));
        let led = tail.strip_suffix(address).unwrap_or_default();
        let slashes = led.chars().filter(|c| is_slash(*c)).count();
        if slashes > 0 {
            end = text.len().saturating_sub(address.len());
        }
        let opened = opens(before);
        let dotted = match name {
            "http" | "https" if slashes == 0 && !led.is_empty() => continue,
            "http" | "https" => slashes == 0 && !opened,
            "file" if !matches!(slashes, 0 | 1 | 3) => false,
            "file" => continue,
            "" if !opened && !before.trim_end().ends_with(':') => continue,
            "" if slashes < 2 => continue,
            "" => !opened,
            _ if slashes < 2 => continue,
            _ => false,
        };
        let plain = cut(address, true, |c| {
            c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '|' | '"' | '`' | '\'')
        });
        let mut forms = vec![plain.clone()];
        forms.extend(enclosed(before, address));
        forms.extend(forms.clone().iter().map(|form| unescaped(form)));
        let mut hosts: Vec<&str> = Vec::new();
        for form in &forms {
            let host = form.split(['/', '\\', '?', '#']).next().unwrap_or_default();
            let is_one = !dotted || host.contains(['.', '[', '@', '%']) || !host.is_ascii();
            if !host.is_empty() && is_one && !hosts.contains(&host) {
                hosts.push(host);
                found.push((start, format!("{}://{form}", if name == "http" { "http" } else { "https" })));
            }
        }
        if !hosts.is_empty() {
            end = text.len().saturating_sub(address.len()).saturating_add(plain.len());
        }
    }
    found
}

/// The scheme that ends here, and where it starts.
fn scheme(before: &str) -> Option<(&'static str, usize)> {
    ["https", "http", "wss", "ws", "ftp", "file"].into_iter().find_map(|name| {
        let rest = name.chars().rev().try_fold(before, |rest, letter| {
            let rest = rest.trim_end_matches(is_break);
            let last = rest.get(rest.len().checked_sub(1)?..)?;
            last.eq_ignore_ascii_case(letter.encode_utf8(&mut [0; 4])).then(|| rest.strip_suffix(last))?
        })?;
        let whole = name.starts_with("http") || !rest.ends_with(|c: char| c.is_ascii_alphanumeric());
        whole.then_some((name, rest.len()))
    })
}

/// Where `//host` stands as an address: `(//host`, `src=//host`, `"//host"`; but neither inside of a path nor
/// after a word, where it is a comment's beginning.
fn opens(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty() || before.ends_with(['(', '"', '\'', '=', ',', '<']) || before.ends_with("]:")
}

/// An address up to where it ends; a bracket ends it that it did not open and that is not escaped.
fn cut(address: &str, brackets: bool, ends: impl Fn(char) -> bool) -> String {
    let (mut open, mut escaped) = (0_usize, false);
    let goes_on = |c: &char| {
        let counts = brackets && !escaped;
        escaped = *c == '\\' && !escaped;
        match c {
            '(' if counts => open = open.saturating_add(1),
            ')' if counts && open == 0 => return false,
            ')' if counts => open = open.saturating_sub(1),
            c => return !ends(*c),
        }
        true
    };
    let address: String = address.chars().take_while(goes_on).collect();
    address.trim_end_matches(['.', ',', ']', '\\', ';']).to_owned()
}

/// The address as a reader takes it who goes by what it is put into: in quotes it ends with them.
fn enclosed(before: &str, address: &str) -> Option<String> {
    let lead = before.trim_end();
    let last = lead.chars().next_back()?;
    let outer = lead.strip_suffix(last)?;
    // Longer than any host; the mark is in none, so that what is cut off makes no known one.
    let short =
        address.char_indices().nth(512).and_then(|(end, _)| Some(format!("{}^", address.get(..end)?)));
    let address = short.as_deref().unwrap_or(address);
    let address = match last {
        '"' | '\'' if lead == before || outer.trim_end().ends_with(['=', '(', ',']) => {
            cut(address, false, |c| c == last)
        }
        '<' if lead == before => cut(address, false, |c| c == '>'),
        '=' => cut(address, false, |c| c.is_whitespace() || c == '>'),
        '(' | ',' => cut(address, true, char::is_whitespace),
        ':' if outer.ends_with(']') => cut(address, false, char::is_whitespace),
        '<' if outer.trim_end().ends_with('(') => cut(address, false, |c| c == '>'),
        _ => return None,
    };
    Some(address.chars().filter(|c| !is_break(*c)).collect())
}

/// The address as markdown reads it: `\` before a punctuation mark is left out.
fn unescaped(address: &str) -> String {
    let mut letters = address.chars().peekable();
    let mut plain = String::with_capacity(address.len());
    while let Some(letter) = letters.next() {
        let mark = letters.next_if(|next| letter == '\\' && next.is_ascii_punctuation());
        plain.push(mark.unwrap_or(letter));
    }
    plain
}

/// The text with those entities resolved that an address can be written with; a browser leaves tabs and line
/// breaks out of an address.
fn resolved(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        match entity(after) {
            Some((letter, length)) => {
                if !is_break(letter) {
                    plain.push(letter);
                }
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The letter that an entity stands for, and its length without the `&`. The semicolon of a number may be
/// left out.
fn entity(after: &str) -> Option<(char, usize)> {
    const NAMED: [(&str, char); 15] = [
        ("sol;", '/'),
        ("bsol;", '\\'),
        ("colon;", ':'),
        ("period;", '.'),
        ("quest;", '?'),
        ("lpar;", '('),
        ("rpar;", ')'),
        ("quot;", '"'),
        ("apos;", '\''),
        ("equals;", '='),
        ("commat;", '@'),
        ("num;", '#'),
        ("percnt;", '%'),
        ("Tab;", '\t'),
        ("NewLine;", '\n'),
    ];
    let Some(number) = after.strip_prefix('#') else {
        let (name, letter) = NAMED.into_iter().find(|(name, _)| after.starts_with(name))?;
        return Some((letter, name.len()));
    };
    let (digits, radix, lead) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 2),
        None => (number, 10, 1),
    };
    let count = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let letter = u32::from_str_radix(digits.get(..count)?, radix).ok().and_then(char::from_u32)?;
    let closed = usize::from(digits.get(count..).is_some_and(|rest| rest.starts_with(';')));
    Some((letter, lead + count + closed))
}

#[cfg(test)]
#[path = "rendered_tests.rs"]
mod tests;

//! Reads a POSIX or Bash command line into its simple commands, those inside of substitutions, subshells and nested
//! `sh -c` included. It runs and expands nothing; what it cannot know is marked as uncertain, and where it is in doubt it
//! finds rather more commands than fewer.

mod here;
mod network;
mod options;
mod programs;
mod reach;
mod sums;
mod words;

pub use reach::{Reach, reach};

/// One word after quotes and escapes were taken off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// Its text; what is expanded at run time is left out of it.
    pub text: String,
    /// A variable or a substitution is part of it, so that the text is not all of it.
    pub uncertain: bool,
    /// That part stands before any `=`: where the word sets a variable, it is not known which.
    pub unnamed: bool,
    /// That part stands outside of quotes, or is a list: the word may become several.
    pub several: bool,
    /// How much of the text comes before all that is expanded, and where the text after it begins.
    around: (usize, usize),
    /// A part of it was quoted: then it is no keyword.
    pub quoted: bool,
}

impl Word {
    fn expand(&mut self, inside_quotes: bool) {
        let start = if self.uncertain { self.around.0 } else { self.text.len() };
        self.around = (start, self.text.len());
        self.uncertain = true;
        self.several |= !inside_quotes;
        self.unnamed |= !self.text.contains('=');
    }

    /// A word, or words, of which nothing is known.
    fn any() -> Self {
        Self { uncertain: true, unnamed: true, several: true, ..Self::default() }
    }

    /// What its value certainly begins and ends with.
    fn ends(&self) -> (&str, &str) {
        let (head, tail) = if self.uncertain { self.around } else { (self.text.len(), 0) };
        (self.text.get(..head).unwrap_or_default(), self.text.get(tail..).unwrap_or_default())
    }

    /// Whether it begins so, or may, once it is expanded.
    fn may_begin(&self, start: &str) -> bool {
        let (head, _) = self.ends();
        self.several || head.starts_with(start) || self.uncertain && start.starts_with(head)
    }

    /// Whether it is this text, or may be.
    fn may_be(&self, text: &str) -> bool {
        let (head, tail) = self.ends();
        self.several
            || if self.uncertain { text.starts_with(head) && text.ends_with(tail) } else { self.text == text }
    }
}

/// One simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simple {
    /// Program and arguments, with assignments before them.
    pub words: Vec<Word>,
    /// Files that are read or written by redirection.
    pub redirects: Vec<Word>,
    /// Its input is the output of the command before it, a here-document or a here-string.
    pub fed: bool,
}

/// A command line that cannot be read, with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable(pub &'static str);

/// How deep substitutions may be nested.
const MAX_DEPTH: u8 = 16;

/// All simple commands of a command line.
///
/// # Errors
/// Where quotes or brackets do not close, or lie too deep inside of each other.
pub fn read(text: &str) -> Result<Vec<Simple>, Unreadable> {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader::new(&chars, MAX_DEPTH);
    reader.list(None)?;
    Ok(reader.found)
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    found: Vec<Simple>,
    depth: u8,
    /// Here-documents whose texts begin on the next line.
    here: Vec<here::Document>,
    /// Inside of how many double brackets it is: those may be sums, where `#` begins no comment and `<<` no document.
    sums: u8,
    /// Up to where no word becomes several.
    plain: usize,
}

/// The command and the word that are being read.
#[derive(Default)]
struct Open {
    simple: Simple,
    word: Option<Word>,
    redirect: bool,
    /// The word to come is no file: it ends a here-document, or is the text of a here-string.
    here: Option<here::Kind>,
}

impl Open {
    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }
}

impl<'a> Reader<'a> {
    fn new(chars: &'a [char], depth: u8) -> Self {
        Self { chars, at: 0, found: Vec::new(), depth, here: Vec::new(), sums: 0, plain: 0 }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at = self.at.saturating_add(1);
        Some(c)
    }

    fn take(&mut self, c: char) -> bool {
        let is_it = self.peek() == Some(c);
        if is_it {
            self.at = self.at.saturating_add(1);
        }
        is_it
    }

    fn deeper(&mut self) -> Result<(), Unreadable> {
        self.depth = self.depth.checked_sub(1).ok_or(Unreadable("it is nested too deeply"))?;
        Ok(())
    }

    /// Notes that what a variable holds may run.
    fn unknown(&mut self) {
        self.found.push(Simple { words: vec![Word::any()], ..Simple::default() });
    }

    fn end_word(&mut self, open: &mut Open) {
        let Some(word) = open.word.take() else { return };
        match (std::mem::take(&mut open.redirect), open.here.take()) {
            (true, Some(kind)) => self.here.extend(here::Document::of(kind, word)),
            (true, None) => open.simple.redirects.push(word),
            _ => open.simple.words.push(word),
        }
    }

    fn end(&mut self, open: &mut Open) {
        self.end_word(open);
        let simple = std::mem::take(&mut open.simple);
        (open.redirect, open.here) = (false, None);
        if !simple.words.is_empty() || !simple.redirects.is_empty() {
            self.found.push(simple);
        }
    }

    /// Commands up to `close`, or to the end of the text.
    fn list(&mut self, close: Option<char>) -> Result<(), Unreadable> {
        let mut open = Open::default();
        let outer = self.here.len();
        while let Some(c) = self.next() {
            match c {
                c if Some(c) == close => {
                    self.end(&mut open);
                    return self.ended(outer);
                }
                '\n' => {
                    self.end(&mut open);
                    if outer > 0 {
                        return Err(Unreadable("a here-document may begin inside of a bracket"));
                    }
                    self.documents()?;
                }
                ';' => self.end(&mut open),
                '&' if self.take('>') => {
                    self.end_word(&mut open);
                    self.take('>');
                    open.redirect = true;
                }
                '&' => {
                    self.take('&');
                    self.end(&mut open);
                }
                '|' => {
                    let or = self.take('|');
                    self.take('&');
                    self.end(&mut open);
                    open.simple.fed = !or;
                }
                '(' => {
                    self.end(&mut open);
                    self.bracket()?;
                }
                // The end of a pattern in `case`.
                ')' => self.end(&mut open),
                '<' | '>' => self.redirection(c, &mut open)?,
                '#' if open.word.is_none() && self.sums == 0 => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at = self.at.saturating_add(1);
                    }
                }
                // No other blank parts words: after one of those `#` begins no comment.
                ' ' | '\t' => self.end_word(&mut open),
                c => self.part(c, &mut open)?,
            }
        }
        self.end(&mut open);
        if close.is_some() { Err(Unreadable("a bracket does not close")) } else { self.ended(outer) }
    }

    /// Shells differ in where a document's text is that has none inside of the bracket.
    fn ended(&self, outer: usize) -> Result<(), Unreadable> {
        if self.here.len() > outer { Err(Unreadable("a here-document does not end")) } else { Ok(()) }
    }

    /// What stands in a bracket that was opened.
    fn bracket(&mut self) -> Result<(), Unreadable> {
        let sum = u8::from(self.peek() == Some('('));
        self.deeper()?;
        self.sums = self.sums.saturating_add(sum);
        self.list(Some(')'))?;
        self.sums = self.sums.saturating_sub(sum);
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    fn redirection(&mut self, c: char, open: &mut Open) -> Result<(), Unreadable> {
        if self.take('(') {
            // A process substitution: a command of its own, and a file to this one.
            self.bracket()?;
            open.word().expand(false);
            return Ok(());
        }
        let index = open.word.as_ref().is_some_and(|word| word.text.contains('['));
        // `{NAME}>x` puts a number into a variable: into `PATH`, or where an index says.
        if open
            .word
            .as_ref()
            .is_some_and(|word| word.text.len() > 2 && word.text.starts_with('{') && word.text.ends_with('}'))
        {
            self.unknown();
        }
        // The number before it is no argument.
        if open.word.as_ref().is_some_and(|word| word.text.chars().all(|c| c.is_ascii_digit())) {
            open.word = None;
        }
        self.end_word(open);
        if c == '<' && self.take('<') {
            open.simple.fed = true;
            open.here = Some(if self.take('<') {
                here::Kind::Text
            } else if self.sums > 0 || index {
                return Err(Unreadable("a shift and a here-document look the same"));
            } else {
                here::Kind::Document { tabs: self.take('-') }
            });
        } else {
            self.take('>');
            self.take('|');
        }
        self.take('&');
        open.redirect = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests;

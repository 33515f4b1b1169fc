//! Reads a POSIX or Bash command line into its simple commands, those inside of substitutions, subshells and nested
//! `sh -c` included. It runs and expands nothing; what it cannot know is marked as uncertain, and where it is in doubt it
//! finds rather more commands than fewer.

mod programs;
mod reach;

pub use reach::{Reach, reach};

/// One word after quotes and escapes were taken off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// Its text; what is expanded at run time is left out of it.
    pub text: String,
    /// A variable or a substitution is part of it, so that the text is not all of it.
    pub uncertain: bool,
    /// A part of it was quoted: then it is no keyword.
    pub quoted: bool,
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
    let mut reader = Reader { chars: &chars, at: 0, found: Vec::new(), depth: MAX_DEPTH };
    reader.list(None)?;
    Ok(reader.found)
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    found: Vec<Simple>,
    depth: u8,
}

/// The command and the word that are being read.
#[derive(Default)]
struct Open {
    simple: Simple,
    word: Option<Word>,
    redirect: bool,
    /// The word to come is no file: it ends a here-document, or is the text of a here-string.
    here: bool,
}

impl Open {
    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            let here = std::mem::take(&mut self.here);
            if std::mem::take(&mut self.redirect) {
                self.simple.redirects.extend((!here).then_some(word));
            } else {
                self.simple.words.push(word);
            }
        }
    }
}

impl Reader<'_> {
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

    fn end(&mut self, open: &mut Open) {
        open.end_word();
        let simple = std::mem::take(&mut open.simple);
        (open.redirect, open.here) = (false, false);
        if !simple.words.is_empty() || !simple.redirects.is_empty() {
            self.found.push(simple);
        }
    }

    /// Commands up to `close`, or to the end of the text.
    fn list(&mut self, close: Option<char>) -> Result<(), Unreadable> {
        let mut open = Open::default();
        while let Some(c) = self.next() {
            match c {
                c if Some(c) == close => {
                    self.end(&mut open);
                    return Ok(());
                }
                '\n' | ';' => self.end(&mut open),
                '&' if self.take('>') => {
                    open.end_word();
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
                    self.deeper()?;
                    self.list(Some(')'))?;
                    self.depth = self.depth.saturating_add(1);
                }
                // The end of a pattern in `case`.
                ')' => self.end(&mut open),
                '<' | '>' => self.redirection(c, &mut open)?,
                '#' if open.word.is_none() => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at = self.at.saturating_add(1);
                    }
                }
                c if c.is_whitespace() => open.end_word(),
                c => self.part(c, &mut open)?,
            }
        }
        self.end(&mut open);
        if close.is_some() { Err(Unreadable("a bracket does not close")) } else { Ok(()) }
    }

    fn redirection(&mut self, c: char, open: &mut Open) -> Result<(), Unreadable> {
        if self.take('(') {
            // A process substitution: a command of its own, and a file to this one.
            self.deeper()?;
            self.list(Some(')'))?;
            self.depth = self.depth.saturating_add(1);
            open.word().uncertain = true;
            return Ok(());
        }
        // The number before it is no argument.
        if open.word.as_ref().is_some_and(|word| word.text.chars().all(|c| c.is_ascii_digit())) {
            open.word = None;
        }
        open.end_word();
        if c == '<' && self.take('<') {
            open.simple.fed = true;
            open.here = true;
            self.take('<');
            self.take('-');
        } else {
            self.take('>');
            self.take('|');
        }
        self.take('&');
        open.redirect = true;
        Ok(())
    }

    /// One character of a word, or what it opens.
    fn part(&mut self, c: char, open: &mut Open) -> Result<(), Unreadable> {
        match c {
            '\\' => match self.next() {
                Some('\n') => {}
                Some(c) => {
                    open.word().quoted = true;
                    open.word().text.push(c);
                }
                None => return Err(Unreadable("it ends with a backslash")),
            },
            '\'' => {
                open.word().quoted = true;
                self.until_quote(open.word())?;
            }
            '"' => {
                open.word().quoted = true;
                loop {
                    match self.next().ok_or(Unreadable("a quote does not close"))? {
                        '"' => break,
                        '\\' => match self.next().ok_or(Unreadable("a quote does not close"))? {
                            '\n' => {}
                            c @ ('"' | '\\' | '$' | '`') => open.word().text.push(c),
                            c => open.word().text.extend(['\\', c]),
                        },
                        '$' => self.dollar(open.word(), true)?,
                        '`' => self.backticks(open.word())?,
                        c => open.word().text.push(c),
                    }
                }
            }
            '$' => self.dollar(open.word(), false)?,
            '`' => self.backticks(open.word())?,
            c => open.word().text.push(c),
        }
        Ok(())
    }

    fn until_quote(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        loop {
            match self.next().ok_or(Unreadable("a quote does not close"))? {
                '\'' => return Ok(()),
                c => word.text.push(c),
            }
        }
    }

    fn dollar(&mut self, word: &mut Word, inside_quotes: bool) -> Result<(), Unreadable> {
        match self.peek() {
            Some('(') => {
                self.at = self.at.saturating_add(1);
                word.uncertain = true;
                self.deeper()?;
                self.list(Some(')'))?;
                self.depth = self.depth.saturating_add(1);
            }
            Some('{') => {
                self.at = self.at.saturating_add(1);
                word.uncertain = true;
                // A default inside of the brackets may itself be a substitution.
                let start = self.at;
                let mut depth = 1_u32;
                while depth > 0 {
                    match self.next().ok_or(Unreadable("a bracket does not close"))? {
                        '{' => depth = depth.saturating_add(1),
                        '}' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                }
                let inside = self.chars.get(start..self.at.saturating_sub(1)).unwrap_or_default();
                self.inside(inside)?;
            }
            Some('\'') if !inside_quotes => {
                self.at = self.at.saturating_add(1);
                word.quoted = true;
                self.escaped(word)?;
            }
            Some('"') if !inside_quotes => {}
            Some(c)
                if c.is_ascii_alphanumeric()
                    || matches!(c, '_' | '@' | '*' | '#' | '?' | '$' | '!' | '-') =>
            {
                word.uncertain = true;
                self.at = self.at.saturating_add(1);
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.at = self.at.saturating_add(1);
                }
            }
            _ => word.text.push('$'),
        }
        Ok(())
    }

    /// `$'...'`: escapes as in C. Those by number are not resolved, so the word is uncertain.
    fn escaped(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        loop {
            match self.next().ok_or(Unreadable("a quote does not close"))? {
                '\'' => return Ok(()),
                '\\' => match self.next().ok_or(Unreadable("a quote does not close"))? {
                    'n' => word.text.push('\n'),
                    't' => word.text.push('\t'),
                    c @ ('\'' | '"' | '\\' | '?') => word.text.push(c),
                    _ => word.uncertain = true,
                },
                c => word.text.push(c),
            }
        }
    }

    fn backticks(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        word.uncertain = true;
        let mut inside = Vec::new();
        loop {
            match self.next().ok_or(Unreadable("a backtick does not close"))? {
                '`' => break,
                '\\' => inside.extend(self.next().filter(|c| matches!(c, '`' | '\\' | '$'))),
                c => inside.push(c),
            }
        }
        self.inside(&inside)
    }

    /// Reads a piece of the text as a list of its own.
    fn inside(&mut self, chars: &[char]) -> Result<(), Unreadable> {
        self.deeper()?;
        let mut reader = Reader { chars, at: 0, found: Vec::new(), depth: self.depth };
        reader.list(None)?;
        self.found.append(&mut reader.found);
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }
}

#[cfg(test)]
mod tests;

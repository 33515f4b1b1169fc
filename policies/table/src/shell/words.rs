//! What a word is made of: quotes, escapes, variables and substitutions.

use super::sums::{runs_nothing, sets};
use super::{Open, Reader, Simple, Unreadable, Word};

impl Reader<'_> {
    /// One character of a word, or what it opens.
    pub(super) fn part(&mut self, c: char, open: &mut Open) -> Result<(), Unreadable> {
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
                self.double(open.word())?;
            }
            '$' => self.dollar(open.word(), false)?,
            '`' => self.backticks(open.word(), false)?,
            c => {
                // What is uncertain already need not be looked at again.
                if c == '{' && !open.word().uncertain && self.alternatives() {
                    open.word().expand(false);
                }
                open.word().text.push(c);
            }
        }
        Ok(())
    }

    /// Whether `{a,b}` or `{1..9}` goes on here, which becomes several words.
    fn alternatives(&mut self) -> bool {
        let (mut quote, mut before) = (None, None);
        let mut end = self.at.max(self.plain);
        while let Some(&c) = self.chars.get(end) {
            let last = before.replace(c);
            match c {
                // In `'...'` it is none, but in `$'...'`.
                '\\' if quote != Some('\'') => {
                    end = end.saturating_add(2);
                    continue;
                }
                '\'' if quote.is_none() && last == Some('$') => quote = Some('$'),
                '\'' if quote == Some('$') => quote = None,
                // Quotes in it are its own.
                '`' | '(' if quote != Some('\'') => return true,
                ',' if quote.is_none() => return true,
                '.' if last == Some('.') => return true,
                ' ' | '\t' | '\n' if quote.is_none() => break,
                '"' | '\'' if quote.is_none_or(|open| open == c) => quote = quote.xor(Some(c)),
                _ => {}
            }
            end = end.saturating_add(1);
        }
        // The rest of this word need not be looked at again.
        self.plain = end;
        false
    }

    fn double(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        loop {
            match self.next().ok_or(Unreadable("a quote does not close"))? {
                '"' => return Ok(()),
                '\\' => match self.next().ok_or(Unreadable("a quote does not close"))? {
                    '\n' => {}
                    c @ ('"' | '\\' | '$' | '`') => word.text.push(c),
                    c => word.text.extend(['\\', c]),
                },
                '$' => self.dollar(word, true)?,
                '`' => self.backticks(word, true)?,
                c => word.text.push(c),
            }
        }
    }

    fn until_quote(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        loop {
            match self.next().ok_or(Unreadable("a quote does not close"))? {
                '\'' => return Ok(()),
                c => word.text.push(c),
            }
        }
    }

    /// `${...}` to its end: no command, but one may stand in a default or an index. Inside of double quotes, single ones
    /// quote nothing.
    fn braces(&mut self, outer: &mut Word, inside_quotes: bool) -> Result<(), Unreadable> {
        const OPEN: Unreadable = Unreadable("a bracket does not close");
        if self.peek() == Some('!') {
            return Err(Unreadable("a variable decides which variable is meant"));
        }
        // Newer shells run a command there.
        if self.peek().is_some_and(|c| matches!(c, ' ' | '\t' | '\n' | '|' | '(')) {
            return Err(Unreadable("a bracket after `$` may hold a command"));
        }
        let mut word = Word::default();
        loop {
            match self.next().ok_or(OPEN)? {
                '}' => break,
                '\\' => word.text.extend(['\\', self.next().ok_or(OPEN)?]),
                '\'' if !inside_quotes => {
                    word.text.push('\'');
                    self.until_quote(&mut word)?;
                }
                // Bash takes the escapes off and reads the rest once more.
                '"' if inside_quotes => return Err(Unreadable("quotes stand inside of quotes")),
                '"' => {
                    word.text.push('"');
                    self.double(&mut word)?;
                }
                '$' => self.dollar(&mut word, inside_quotes)?,
                '`' => self.backticks(&mut word, inside_quotes)?,
                '<' | '>' if self.take('(') => self.bracket()?,
                c => word.text.push(c),
            }
            // Marks its place.
            if std::mem::take(&mut word.uncertain) {
                word.text.push('$');
            }
        }
        if word.text.ends_with("@P") {
            return Err(Unreadable("a value is expanded as a prompt, which may run commands"));
        }
        // The shell works out what a variable holds there, and runs what that names.
        if !runs_nothing(&word.text) {
            self.unknown();
        }
        if let Some(name) = sets(&word.text) {
            let set = Word { text: format!("{name}="), ..Word::default() };
            self.found.push(Simple { words: vec![set], ..Simple::default() });
        }
        outer.several |= word.several || word.text.starts_with('@') || word.text.contains("[@]");
        Ok(())
    }

    fn dollar(&mut self, word: &mut Word, inside_quotes: bool) -> Result<(), Unreadable> {
        match self.peek() {
            Some('(') => {
                self.at = self.at.saturating_add(1);
                word.expand(inside_quotes);
                self.bracket()?;
            }
            Some('{') => {
                self.at = self.at.saturating_add(1);
                word.expand(inside_quotes);
                self.deeper()?;
                self.braces(word, inside_quotes)?;
                self.depth = self.depth.saturating_add(1);
            }
            Some('\'') if !inside_quotes => {
                self.at = self.at.saturating_add(1);
                word.quoted = true;
                self.escaped(word)?;
            }
            Some('"') if !inside_quotes => {}
            Some('[') if !inside_quotes => return Err(Unreadable("a sum is written in the old way")),
            // A number, whatever the rest of the line is.
            Some('?' | '#' | '$') => {
                self.at = self.at.saturating_add(1);
                word.text.push('0');
            }
            // The number of a job, which no option ends with.
            Some('!') => {
                word.expand(inside_quotes);
                self.at = self.at.saturating_add(1);
                word.text.push('!');
            }
            Some(c) if c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '*' | '-') => {
                word.expand(inside_quotes && c != '@');
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
                    _ => word.expand(true),
                },
                c => word.text.push(c),
            }
        }
    }

    fn backticks(&mut self, word: &mut Word, inside_quotes: bool) -> Result<(), Unreadable> {
        word.expand(inside_quotes);
        let mut inside = Vec::new();
        loop {
            match self.next().ok_or(Unreadable("a backtick does not close"))? {
                '`' => break,
                '\\' => match self.next().ok_or(Unreadable("a backtick does not close"))? {
                    c @ ('`' | '\\' | '$') => inside.push(c),
                    '"' if inside_quotes => inside.push('"'),
                    c => inside.extend(['\\', c]),
                },
                c => inside.push(c),
            }
        }
        self.deeper()?;
        let mut reader = Reader::new(&inside, self.depth);
        reader.list(None)?;
        self.found.append(&mut reader.found);
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    /// A here-document's text, in which only substitutions and variables are read.
    pub(super) fn expanded(&mut self, text: &[char]) -> Result<(), Unreadable> {
        self.deeper()?;
        let mut reader = Reader::new(text, self.depth);
        let mut word = Word::default();
        while let Some(c) = reader.next() {
            match c {
                '\\' => drop(reader.next()),
                '$' => reader.dollar(&mut word, true)?,
                '`' => reader.backticks(&mut word, true)?,
                _ => {}
            }
        }
        self.found.append(&mut reader.found);
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }
}

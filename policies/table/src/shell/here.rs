//! Here-documents: their text is no list of commands, and a quote in it opens none outside.

use super::{Reader, Unreadable, Word};

/// What `<<` stands before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `<<<`: the text itself.
    Text,
    /// `<<` or, where tabs before a line do not count, `<<-`: the line that ends the text.
    Document { tabs: bool },
}

/// A document whose text begins on the next line.
pub(super) struct Document {
    end: Word,
    tabs: bool,
}

impl Document {
    pub(super) fn of(kind: Kind, end: Word) -> Option<Self> {
        match kind {
            Kind::Text => None,
            Kind::Document { tabs } => Some(Self { end, tabs }),
        }
    }
}

impl Reader<'_> {
    /// Reads the texts of all documents that wait for one.
    pub(super) fn documents(&mut self) -> Result<(), Unreadable> {
        for document in std::mem::take(&mut self.here) {
            // `<<$X` is ended by `$X` or by something else, as the shell likes.
            if document.end.uncertain {
                return Err(Unreadable("a variable decides where a here-document ends"));
            }
            let start = self.at;
            let text = loop {
                let here = self.at;
                let Some(line) = self.line(!document.end.quoted) else {
                    return Err(Unreadable("a here-document does not end"));
                };
                let line = if document.tabs { line.trim_start_matches('\t') } else { line.as_str() };
                if line == document.end.text {
                    break self.chars.get(start..here).unwrap_or_default();
                }
            };
            if !document.end.quoted {
                self.expanded(text)?;
            }
        }
        Ok(())
    }

    /// The next line; with `joined`, one that ends with a backslash goes on with the next.
    fn line(&mut self, joined: bool) -> Option<String> {
        self.peek()?;
        let mut line = String::new();
        while let Some(c) = self.next() {
            match c {
                '\n' => break,
                '\\' if joined => match self.next() {
                    Some('\n') => {}
                    next => line.extend(['\\'].into_iter().chain(next)),
                },
                c => line.push(c),
            }
        }
        Some(line)
    }
}

//! What is wrong with a policy file, and how it is shown: file, line, column, the line itself, what was expected.

use super::node::Span;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use bouncer_core::shown::sentence;
use std::fmt;
use std::path::{Path, PathBuf};

/// Problems that are drawn; a file that is no policy at all would fill the terminal.
const MOST_DRAWN: usize = 20;

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Byte range in the text.
    pub span: Span,
    /// What is wrong, in one sentence.
    pub title: String,
    /// What stands beside the marked place: what was expected there.
    pub label: String,
    /// The next step, where there is one.
    pub hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(span: Span, title: impl Into<String>) -> Self {
        Self { span, title: title.into(), label: String::new(), hint: None }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Why a policy could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file could not be read.
    #[error("cannot read the policy file `{}`: {source}\nhint: {hint}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
        /// The next step.
        hint: &'static str,
    },
    /// The file is larger than any policy.
    #[error("the policy file `{}` is {size} bytes long; a policy file has at most {limit}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// What it says is not a policy.
    #[error("{0}")]
    Malformed(Box<Malformed>),
}

impl PolicyError {
    /// The problems with their places, where the file could be read at all.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Malformed(malformed) => &malformed.problems,
            _ => &[],
        }
    }
}

/// A file with at least one problem.
#[derive(Debug)]
pub struct Malformed {
    /// The file as the user named it.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Everything that is wrong with it, in the order of the file.
    pub problems: Vec<Problem>,
}

impl Malformed {
    pub(crate) fn new(path: &Path, text: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.span.start);
        Self { path: path.to_owned(), text: text.to_owned(), problems }
    }

    /// Line and column (both from 1, the column in characters) of each problem.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let starts: Vec<usize> =
            std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.problems.iter().map(move |problem| {
            let at = problem.span.start.min(self.text.len());
            let line = starts.partition_point(|start| *start <= at);
            let start = line.checked_sub(1).and_then(|line| starts.get(line)).copied().unwrap_or_default();
            (line, self.text.get(start..at).unwrap_or_default().chars().count() + 1)
        })
    }

    /// The problems drawn with their source lines.
    #[must_use]
    pub fn draw(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let path = self.path.display().to_string();
        let drawn: Vec<String> = self
            .problems
            .iter()
            .take(MOST_DRAWN)
            .map(|problem| {
                // Sources and titles are cleaned by the renderer; a label may quote a key of the file.
                let label = sentence(&problem.label, usize::MAX);
                let hint = problem.hint.as_ref().map(|hint| sentence(hint, usize::MAX));
                let mark = AnnotationKind::Primary.span(self.clamp(&problem.span)).label(label.as_str());
                let snippet = Snippet::source(self.text.as_str()).path(path.as_str()).annotation(mark);
                let group = Level::ERROR.primary_title(problem.title.as_str()).element(snippet);
                let group = match &hint {
                    Some(hint) => group.element(Level::HELP.with_name("hint").message(hint.as_str())),
                    None => group,
                };
                renderer.render(&[group]).to_string()
            })
            .collect();
        let drawn = drawn.join("\n\n");
        match self.problems.len().checked_sub(MOST_DRAWN) {
            None | Some(0) => drawn,
            Some(more) => format!("{drawn}\n\nand {more} more problems"),
        }
    }

    /// The span within the text and on character boundaries, whatever a parser said.
    fn clamp(&self, span: &Span) -> Span {
        let fit = |mut at: usize| {
            at = at.min(self.text.len());
            while !self.text.is_char_boundary(at) {
                at = at.saturating_sub(1);
            }
            at
        };
        let (start, end) = (fit(span.start), fit(span.end));
        start..end.max(start)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.draw(false))
    }
}

/// Line and column of a byte of `text`, both from 1, the column in characters.
pub(crate) fn place_of(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..text.floor_char_boundary(at)).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    (line, before.get(start..).unwrap_or_default().chars().count() + 1)
}

/// `did you mean ...`, where one of the known words is near enough.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word.replace('-', "_"), candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).max(1))
        .min()
        .map(|(_, candidate)| candidate)
}

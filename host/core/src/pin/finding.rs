//! What looks odd in the texts of a definition: characters that hide or reorder, and words that speak to the model
//! rather than of the tool.
//!
//! For a person's eyes. Nothing is allowed because there is no finding; general rules, no list of known attacks.

use crate::shown::{invisible, shown};
use crate::value::Value;

/// What a text was noticed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Zero-width, bidi, tag, control or other characters that show nothing or change how others show.
    HiddenCharacters,
    /// So much white space that what follows it is out of sight.
    OutOfSight,
    /// It asks to set other instructions aside.
    Overrides,
    /// It asks to keep something from the user.
    Secrecy,
    /// Markup that dresses a text up as the system's: `<IMPORTANT>`.
    Markup,
    /// It says when other tools are to be used, or what is to be done before.
    OtherTools,
    /// It names files that hold secrets.
    SecretFiles,
    /// It asks for the conversation, prompts or secrets as an argument.
    Collects,
}

impl Rule {
    /// A stable word for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::HiddenCharacters => "hidden_characters",
            Self::OutOfSight => "out_of_sight",
            Self::Overrides => "overrides_instructions",
            Self::Secrecy => "keeps_from_user",
            Self::Markup => "system_markup",
            Self::OtherTools => "steers_other_tools",
            Self::SecretFiles => "names_secret_files",
            Self::Collects => "collects_context",
        }
    }

    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::HiddenCharacters => "hidden characters",
            Self::OutOfSight => "text pushed out of sight",
            Self::Overrides => "asks to set instructions aside",
            Self::Secrecy => "asks to keep something from the user",
            Self::Markup => "dressed up as the system's words",
            Self::OtherTools => "steers the use of other tools",
            Self::SecretFiles => "names files that hold secrets",
            Self::Collects => "asks for the conversation or for secrets",
        }
    }
}

/// One text that was noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// For what.
    pub rule: Rule,
    /// Where in the definition, as a JSON pointer.
    pub at: String,
    /// The words around it, what hides made visible.
    pub excerpt: String,
}

/// More findings than this of one definition are not collected.
const MOST: usize = 50;
/// Characters of the text that an excerpt shows.
const AROUND: usize = 80;

/// What looks odd in the texts of a definition, names of members included; each rule once for each text.
#[must_use]
pub fn findings(definition: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    walk(definition, &mut String::new(), &mut found);
    found
}

fn walk(value: &Value, at: &mut String, found: &mut Vec<Finding>) {
    if found.len() >= MOST {
        return;
    }
    let length = at.len();
    match value {
        Value::String(text) => of_text(text, at, found),
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                at.push_str(&format!("/{i}"));
                walk(item, at, found);
                at.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, item) in members {
                at.push('/');
                at.push_str(&name.replace('~', "~0").replace('/', "~1"));
                of_text(name, at, found);
                walk(item, at, found);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

fn of_text(text: &str, at: &str, found: &mut Vec<Finding>) {
    let chars: Vec<char> = text.chars().collect();
    let mut add = |rule: Rule, index: usize| {
        let from = index.saturating_sub(AROUND / 4);
        let excerpt: String = chars.iter().skip(from).take(AROUND).collect();
        found.push(Finding { rule, at: at.to_owned(), excerpt: shown(&excerpt, AROUND) });
    };
    if let Some(index) = first_hidden(&chars) {
        add(Rule::HiddenCharacters, index);
    }
    if let Some(index) = first_gap(&chars) {
        add(Rule::OutOfSight, index);
    }
    let words = Words::of(&chars);
    for rule in [Rule::Overrides, Rule::Secrecy, Rule::OtherTools, Rule::Collects] {
        if let Some(index) = words.first(rule) {
            add(rule, index);
        }
    }
    let lower: String = text.chars().filter(|c| !is_hidden(*c)).collect::<String>().to_lowercase();
    for (rule, marks) in [(Rule::Markup, MARKUP), (Rule::SecretFiles, FILES)] {
        if let Some(mark) = marks.iter().find(|mark| lower.contains(*mark)) {
            let before = lower.find(mark).and_then(|byte| lower.get(..byte)).map_or(0, |b| b.chars().count());
            add(rule, before);
        }
    }
}

/// Characters that show nothing, or change how others show. Line feed, tab and carriage return are not among them.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    invisible(c) && !matches!(c, '\n' | '\t' | '\r')
}

fn first_hidden(chars: &[char]) -> Option<usize> {
    chars.iter().enumerate().find_map(|(i, &c)| {
        if !is_hidden(c) {
            return None;
        }
        // An emoji's style or joiner is part of what is seen, once, after a symbol.
        let before = i.checked_sub(1).and_then(|i| chars.get(i)).copied();
        let styles = matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{200d}');
        let symbol =
            before.is_some_and(|b| matches!(b, '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{1f000}'..='\u{1faff}' | '0'..='9' | '#' | '*' | '©' | '®'))
                || (c == '\u{200d}' && before == Some('\u{fe0f}'));
        (!(styles && symbol)).then_some(i)
    })
}

/// Where text goes on after so much white space that a person does not see it.
fn first_gap(chars: &[char]) -> Option<usize> {
    let (mut lines, mut blanks) = (0, 0);
    for (i, c) in chars.iter().enumerate() {
        if *c == '\n' {
            lines += 1;
        } else if !c.is_whitespace() {
            if lines >= 12 || blanks >= 120 {
                return Some(i);
            }
            (lines, blanks) = (0, 0);
            continue;
        }
        blanks += 1;
    }
    None
}

const MARKUP: &[&str] = &[
    "<important",
    "<system",
    "</system",
    "<instruction",
    "<secret",
    "<critical",
    "<hidden",
    "<admin",
    "<override",
    "<|im_start|>",
    "<|system|>",
    "<<sys>>",
    "[system]",
    "[inst]",
    "###system",
    "### system",
];

const FILES: &[&str] = &[
    "/.ssh",
    "id_rsa",
    "id_ed25519",
    ".aws/credentials",
    "/etc/passwd",
    "/etc/shadow",
    ".cursor/mcp.json",
    "claude_desktop_config",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".docker/config",
    ".kube/config",
    "wallet.dat",
];

/// The words of a text in lower case, hidden characters taken out, with where each begins.
struct Words {
    all: Vec<(String, usize)>,
}

impl Words {
    fn of(chars: &[char]) -> Self {
        let mut all: Vec<(String, usize)> = Vec::new();
        let mut open = false;
        for (i, &c) in chars.iter().enumerate() {
            if is_hidden(c) || matches!(c, '\'' | '’') {
                continue;
            }
            if !c.is_alphanumeric() {
                open = false;
                continue;
            }
            if !open {
                all.push((String::new(), i));
                open = true;
            }
            if let Some((word, _)) = all.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        Self { all }
    }

    /// Where the first phrase of this rule begins.
    fn first(&self, rule: Rule) -> Option<usize> {
        let phrases: &[&[&[&str]]] = match rule {
            Rule::Overrides => OVERRIDES,
            Rule::Secrecy => SECRECY,
            Rule::OtherTools => OTHER_TOOLS,
            Rule::Collects => COLLECTS,
            _ => &[],
        };
        self.all
            .iter()
            .enumerate()
            .find_map(|(i, (_, at))| phrases.iter().any(|phrase| self.has(phrase, i)).then_some(*at))
    }

    /// Whether the words of `phrase` follow from here in this order, few others between them.
    fn has(&self, phrase: &[&[&str]], start: usize) -> bool {
        let mut next = start;
        for (step, any) in phrase.iter().enumerate() {
            let reach = if step == 0 { 1 } else { 6 };
            let hit = self
                .all
                .iter()
                .enumerate()
                .skip(next)
                .take(reach)
                .find(|(_, (word, _))| any.contains(&word.as_str()))
                .map(|(i, _)| i);
            match hit {
                Some(i) => next = i + 1,
                None => return false,
            }
        }
        true
    }
}

const SAID: &[&str] = &[
    "instruction",
    "instructions",
    "prompt",
    "prompts",
    "rules",
    "guidelines",
    "directions",
    "constraints",
    "policy",
    "policies",
];

const OVERRIDES: &[&[&[&str]]] = &[
    &[
        &["ignore", "disregard", "forget", "override", "bypass", "discard"],
        &["previous", "prior", "above", "earlier", "all", "any", "other", "your", "system", "preceding"],
        SAID,
    ],
    &[&["new", "updated", "real", "actual"], &["system"], &["instruction", "instructions", "prompt"]],
    &[&["you"], &["are"], &["now"], &["in", "no"], &["mode", "longer"]],
];

const NOT: &[&str] =
    &["not", "dont", "never", "without", "avoid", "mustnt", "shouldnt", "cannot", "no", "refrain"];

const SECRECY: &[&[&[&str]]] = &[
    &[
        NOT,
        &[
            "tell",
            "telling",
            "mention",
            "mentioning",
            "inform",
            "informing",
            "reveal",
            "revealing",
            "notify",
            "notifying",
            "disclose",
            "disclosing",
            "show",
            "showing",
            "alert",
            "alerting",
            "explain",
            "warn",
        ],
        &["user", "users", "human", "person"],
    ],
    &[&["hide", "hidden", "conceal", "keep", "secretly", "silently"], &["from"], &["user", "users", "human"]],
    &[
        &["user", "users", "human"],
        &["must", "should", "need", "needs"],
        NOT,
        &["know", "see", "notice", "aware", "told"],
    ],
];

const OTHER_TOOLS: &[&[&[&str]]] = &[
    &[
        &["before", "after", "when", "whenever", "instead", "prior"],
        &["using", "calling", "invoking", "use", "call", "invoke", "of", "to", "running"],
        &["other", "another", "any", "all", "every"],
        &["tool", "tools", "server", "servers"],
    ],
    &[
        &["must", "always", "first"],
        &["call", "use", "invoke", "run"],
        &["this"],
        &["first", "before", "instead"],
        &["other", "any", "every", "all"],
    ],
    &[
        &["other", "another"],
        &["tool", "tools", "server", "servers"],
        &["must", "always", "never", "instead"],
    ],
];

const COLLECTS: &[&[&[&str]]] = &[
    &[
        &[
            "include", "pass", "send", "provide", "append", "attach", "insert", "put", "add", "forward",
            "paste",
        ],
        &["conversation", "chat", "system", "full", "entire", "complete", "secret", "api", "private", "ssh"],
        &["history", "prompt", "prompts", "conversation", "transcript", "key", "keys", "secrets", "context"],
    ],
    &[
        &["read", "open", "cat", "load", "fetch"],
        &["contents", "content", "file"],
        &["pass", "include", "send"],
        &["as", "argument", "parameter", "it", "in", "to"],
    ],
];

#[cfg(test)]
#[path = "finding_tests.rs"]
mod tests;

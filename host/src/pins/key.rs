//! Which server a record belongs to: by what the user's configuration says, never by what the server says of itself.
//!
//! The name under which the client knows the server, and how it is launched: the whole command line, or the URL. Two
//! commands under one name are two servers, and so is one command under two names. The environment is left out: tokens
//! in it change, and the user chose it. A package without a version (`npx -y pkg`) stays the same server when the
//! package is updated; that is the very change that pins are for.
//!
//! The working folder belongs to it only where the command line is relative to it (`node server.js`, `./run`), told by
//! spelling alone: what lies on the disk could be put there by a server.

use bouncer_core::pin::Hash;
use bouncer_core::value::Value;
use std::path::Path;

/// A server as the user configured it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerKey {
    name: String,
    launch: Launch,
}

/// How it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// A program that is started.
    Command {
        /// The program, then its arguments.
        words: Vec<String>,
        /// Where it is started, where `words` are relative to that.
        folder: Option<String>,
    },
    /// A server at a URL.
    Url(String),
}

/// How many characters of a server's name stand in its file's name.
const NAME_IN_FILE: usize = 40;
/// How many hexadecimal digits of the key's hash stand in its file's name.
const HASH_IN_FILE: usize = 24;
/// Arguments that end so are files, which are looked for in the working folder.
const SCRIPTS: [&str; 14] =
    ["js", "mjs", "cjs", "ts", "mts", "cts", "py", "pyz", "sh", "rb", "pl", "php", "jar", "dll"];

impl ServerKey {
    /// A server that is started: `words` are the program and its arguments, `cwd` the absolute folder it runs in.
    #[must_use]
    pub fn command(name: &str, words: &[String], cwd: &Path) -> Self {
        let folder = is_relative(words).then(|| cwd.to_string_lossy().into_owned());
        Self { name: name.to_owned(), launch: Launch::Command { words: words.to_vec(), folder } }
    }

    /// A server at a URL.
    #[must_use]
    pub fn url(name: &str, url: &str) -> Self {
        Self { name: name.to_owned(), launch: Launch::Url(url.to_owned()) }
    }

    /// The user's name for the server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it is reached.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// What its file is called, without the extension: a part of the name for people, and a hash of the whole key. No
    /// name can make it anything but letters, digits, `_` and `-`.
    #[must_use]
    pub fn id(&self) -> String {
        let hash = Hash::of(&self.to_value()).to_string();
        format!("{}-{}", Self::plain(&self.name), hash.get(..HASH_IN_FILE).unwrap_or(&hash))
    }

    /// Whether a file of this `id` can be of a server of this name; for files that cannot be read.
    #[must_use]
    pub fn may_be(name: &str, id: &str) -> bool {
        id.rsplit_once('-').is_some_and(|(plain, _)| plain == Self::plain(name))
    }

    fn plain(name: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        name.chars().take(NAME_IN_FILE).map(plain).collect()
    }

    pub(super) fn to_value(&self) -> Value {
        let text = |text: &str| Value::String(text.to_owned());
        let mut members = vec![("name".to_owned(), text(&self.name))];
        match &self.launch {
            Launch::Command { words, folder } => {
                let words = words.iter().map(|word| text(word)).collect();
                members.push(("command".to_owned(), Value::Array(words)));
                if let Some(folder) = folder {
                    members.push(("folder".to_owned(), text(folder)));
                }
            }
            Launch::Url(url) => members.push(("url".to_owned(), text(url))),
        }
        Value::Object(members)
    }

    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let launch = match text("url") {
            Some(url) => Launch::Url(url),
            None => {
                let words = value.get("command")?.as_array()?;
                let words: Option<Vec<String>> =
                    words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
                Launch::Command { words: words?, folder: text("folder") }
            }
        };
        Some(Self { name: text("name")?, launch })
    }
}

fn is_relative(words: &[String]) -> bool {
    words.iter().enumerate().any(|(i, word)| {
        // `\` is a letter like any other elsewhere.
        let word = if cfg!(windows) { &word.replace('\\', "/") } else { word };
        let dotted = word.starts_with("./") || word.starts_with("../");
        let full = word.starts_with('/') || cfg!(windows) && Path::new(word).is_absolute();
        let program = i == 0 && word.contains('/') && !full;
        let script = !full
            && !word.starts_with(['-', '@', '~'])
            && !word.contains("://")
            && word.rsplit_once('.').is_some_and(|(_, end)| SCRIPTS.contains(&end));
        dotted || program || script
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, words: &[&str], cwd: &str) -> ServerKey {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        ServerKey::command(name, &words, Path::new(cwd))
    }

    #[test]
    fn a_name_cannot_steer_the_file() {
        for name in ["../../etc/passwd", "a/b", "..", "", "CON", "x\0y", "é\u{202e}.json", &"n".repeat(999)]
        {
            let id = key(name, &["x"], "/").id();
            assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)), "{id}");
            assert!(id.len() < 80 && ServerKey::may_be(name, &id), "{id}");
        }
    }

    #[test]
    fn name_command_and_order_of_words_tell_servers_apart() {
        let ids = [
            key("mail", &["npx", "-y", "pkg"], "/a").id(),
            key("mail", &["npx", "-y", "pkg@2"], "/a").id(),
            key("mail", &["npx", "pkg", "-y"], "/a").id(),
            key("mail", &["npx", "-y pkg"], "/a").id(),
            key("mail2", &["npx", "-y", "pkg"], "/a").id(),
            ServerKey::url("mail", "npx").id(),
        ];
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    }

    #[test]
    fn the_folder_counts_only_where_the_command_is_relative_to_it() {
        for words in
            [&["npx", "-y", "@x/y.js"][..], &["python3", "/srv/a.py"], &["uvx", "mcp-server"], &["/b/x"]]
        {
            assert_eq!(key("m", words, "/a").id(), key("m", words, "/b").id(), "{words:?}");
        }
        for words in [&["node", "server.js"][..], &["./run"], &["bin/run"], &["python3", "../s.py"]] {
            assert_ne!(key("m", words, "/a").id(), key("m", words, "/b").id(), "{words:?}");
        }
    }

    #[test]
    fn a_key_survives_being_written() {
        for key in [key("m\u{1}", &["./a", "é"], "/x"), ServerKey::url("u", "https://h/x?y=1")] {
            assert_eq!(ServerKey::from_value(&key.to_value()), Some(key));
        }
    }
}

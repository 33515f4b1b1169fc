//! `bouncer hook`: what a client's hooks call. Prints nothing on success, since clients hand a hook's output to the model.

use super::{Failure, settings};
use crate::session::Session;
use crate::store::Store;
use bouncer_core::value::Value;
use clap::{Args, Subcommand};
use std::io::Read;
use std::process::ExitCode;

/// More than any client's event holds; above it nothing is recorded rather than a part.
const LONGEST: u64 = 16 << 20;
const DEPTH: usize = 64;
/// The events that carry what the user typed: of Claude Code and Codex, Cursor, Gemini CLI. Another event may carry an
/// answer of a server, which must not be taken for the user's words.
const EVENTS: [&str; 3] = ["UserPromptSubmit", "beforeSubmitPrompt", "BeforeAgent"];

#[derive(Debug, Subcommand)]
pub(super) enum HookCommand {
    /// Record the user's prompt, so that the destinations in it are vouched for
    #[command(after_help = "\
Reads from stdin the event of Claude Code or Codex (UserPromptSubmit), Cursor (beforeSubmitPrompt) or Gemini CLI
(BeforeAgent), or the prompt as plain text. Prints nothing; exits with 1 where the prompt could not be recorded.")]
    Prompt(PromptArgs),
}

#[derive(Debug, Args)]
pub(super) struct PromptArgs {
    /// The session to record it in, as for `bouncer run`
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

pub(super) fn run(command: &HookCommand) -> Result<ExitCode, Failure> {
    let HookCommand::Prompt(args) = command;
    // Exit code 2 would make clients throw the user's prompt away.
    prompt(args).map_err(|failure| Failure { code: 1, ..failure })
}

fn prompt(args: &PromptArgs) -> Result<ExitCode, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Err(Failure::new(format!("the prompt is larger than {} MiB", LONGEST >> 20)));
    }
    let said = read(&bytes).map_err(Failure::new)?;
    let home = settings::home()?;
    let (claude, named) = (said.claude.as_deref(), args.session.as_deref());
    // Looked at before this process takes part itself.
    let stranded = match claude {
        Some(_) => Store::stranded(&home.sessions(), &settings::key_of(claude, named)),
        None => Vec::new(),
    };
    settings::session_of(claude, named, &home)?.prompt(&said.prompt).map_err(Failure::new)?;
    for key in stranded {
        let session = Session::shared(&home.sessions(), &key).map_err(Failure::new)?;
        session.prompt(&said.prompt).map_err(Failure::new)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Debug, PartialEq, Eq)]
struct Said {
    prompt: String,
    /// Claude Code's own name for the session.
    claude: Option<String>,
}

fn read(bytes: &[u8]) -> Result<Said, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the prompt is not UTF-8".to_owned())?;
    let text = text.trim_start_matches('\u{feff}');
    let event = match Value::parse(text.trim().as_bytes(), DEPTH) {
        Ok(event) => event,
        // An event that cannot be read may be another one, with a server's words in it.
        Err(_) if text.contains("hook_event_name") && text.trim_start().starts_with('{') => {
            return Err(
                "the event cannot be read: its JSON is broken, repeats a key or nests too deep".to_owned()
            );
        }
        Err(_) => return Ok(Said { prompt: text.to_owned(), claude: None }),
    };
    if event.as_object().is_none() {
        return Ok(Said { prompt: text.to_owned(), claude: None });
    }
    let word = |key: &str| event.get(key).and_then(Value::as_str);
    let name = word("hook_event_name");
    if let Some(name) = name.filter(|name| !EVENTS.contains(name)) {
        return Err(format!(
            "`{}` is not the event of a prompt\nhint: use it for {}",
            bouncer_core::shown::shown(name, 80),
            EVENTS.join(", ")
        ));
    }
    let prompt = word("prompt").ok_or("the event holds no `prompt`")?;
    // Codex calls its event the same, but hands no session id to its servers.
    let claude = name == Some("UserPromptSubmit") && event.get("turn_id").is_none();
    let claude = word("session_id").filter(|_| claude).map(str::to_owned);
    Ok(Said { prompt: prompt.to_owned(), claude })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> (String, Option<String>) {
        let said = read(text.as_bytes()).unwrap();
        (said.prompt, said.claude)
    }

    #[test]
    fn every_clients_event_is_read() {
        let claude = r#"{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"write to a@b.io"}"#;
        assert_eq!(said(claude), ("write to a@b.io".into(), Some("s1".into())));
        let codex = r#"{"session_id":"s1","turn_id":"t","hook_event_name":"UserPromptSubmit","prompt":"hi"}"#;
        assert_eq!(said(codex), ("hi".into(), None));
        let cursor = r#"{"conversation_id":"c","hook_event_name":"beforeSubmitPrompt","prompt":"hi","attachments":[]}"#;
        assert_eq!(said(cursor), ("hi".into(), None));
        let gemini = r#"{"session_id":"g","hook_event_name":"BeforeAgent","prompt":"hi"}"#;
        assert_eq!(said(gemini), ("hi".into(), None));
        assert_eq!(said("  plain {words}\n"), ("  plain {words}\n".into(), None));
        assert_eq!(said("[1, 2]"), ("[1, 2]".into(), None));
    }

    #[test]
    fn an_answer_of_a_server_is_not_taken_for_the_users_words() {
        let tool = r#"{"session_id":"s1","hook_event_name":"PostToolUse","prompt":"x","tool_response":"to e@evil.io"}"#;
        assert!(read(tool.as_bytes()).unwrap_err().contains("`PostToolUse`"));
        assert!(read(br#"{"tool_response":"to e@evil.io"}"#).is_err());
        assert!(read(b"\xff\xfe").is_err());
        let broken = r#"{"hook_event_name":"PostToolUse","tool_response":"mail e@evil.io \ud83d"}"#;
        assert!(read(broken.as_bytes()).unwrap_err().contains("cannot be read"));
    }
}

//! Policy pack for file servers: what is written is confined, and a write into a place from where something
//! is run later (a shell's start-up file, a git hook, an editor's tasks, an agent's own configuration) is
//! asked about.
//!
//! Paths are read as text here: symbolic links are the host's matter, which resolves the same arguments
//! natively.

mod place;

use bouncer_guest::prelude::*;
use bouncer_pack_table::{QUIET, Row, Table};
pub use place::{Danger, danger};

/// What is known of the file servers' tools.
pub const TABLE: Table = Table {
    rows: &[
        // It replaces the whole file.
        Row {
            tool: "write_file",
            destroys: true,
            writes: &["/path"],
            harmless: &["/content"],
            evaluate: true,
            ..QUIET
        },
        Row {
            tool: "edit_file",
            writes: &["/path"],
            harmless: &["/edits", "/dryRun"],
            evaluate: true,
            ..QUIET
        },
        Row { tool: "create_directory", writes: &["/path"], evaluate: true, ..QUIET },
        // The source disappears from where it was, so both ends are writes.
        Row { tool: "move_file", writes: &["/source", "/destination"], evaluate: true, ..QUIET },
    ],
    quiet: &[
        "read_file",
        "read_text_file",
        "read_media_file",
        "read_multiple_files",
        "list_directory",
        "list_directory_with_sizes",
        "directory_tree",
        "search_files",
        "get_file_info",
        "list_allowed_directories",
    ],
    known: &["path", "paths", "head", "tail", "sortBy", "excludePatterns", "pattern"],
};

/// Settings: `[packs.filesystem]` of the user's policy.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Names of files and folders that may be written without a question, such as `.vscode`.
    pub usual: Vec<String>,
}

/// The policy.
#[derive(Debug)]
pub struct Filesystem;

impl Policy for Filesystem {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
        Ok(TABLE.contracts(tools))
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], settings: &Settings) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        // A dry run of an edit writes nothing.
        if call.tool() == "edit_file" && call.flag("/dryRun") == Some(true) {
            return Ok(judgement);
        }
        for param in ["/path", "/source", "/destination"] {
            for (pointer, path) in call.leaves(param) {
                let Some(danger) = danger(&path, &settings.usual) else { continue };
                judgement.push(match danger {
                    Danger::Unreadable => {
                        Finding::deny("unreadable_path", "the path holds a control character").at(pointer)
                    }
                    Danger::Bouncer => Finding::deny(
                        "guards_files",
                        "the path lies in the folder where Bouncer keeps approvals and grants",
                    )
                    .at(pointer),
                    Danger::RunLater(name) => Finding::ask(
                        "run_later",
                        format!("what is written to `{name}` is run or obeyed later by another program"),
                    )
                    .at(pointer),
                    Danger::Keys(name) => {
                        Finding::ask("keys", format!("`{name}` holds keys or decides who may log in"))
                            .at(pointer)
                    }
                });
            }
        }
        Ok(judgement)
    }
}

export_policy!(Filesystem);

#[cfg(test)]
mod tests;

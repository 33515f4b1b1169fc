//! Arguments that are programs: commands, code, queries. A tool that runs what the caller writes can do anything.

use super::schema::{Leaf, Shape};
use super::verbs::{self, Doing};
use super::words::{any, last, pair};

/// What sort of program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Program {
    /// Code that is stored or handed on, to run elsewhere or later.
    Stored,
    /// Code, commands or queries that this call runs.
    Runs,
}

const COMMANDS: &[&str] = &["command", "cmd", "shell", "bash", "cmdline", "commandline", "argv"];
const CODES: &[&str] = &[
    "code",
    "script",
    "javascript",
    "js",
    "python",
    "sql",
    "cypher",
    "graphql",
    "manifest",
    "expression",
    "snippet",
    "program",
    "twiml",
    "function",
    "source",
    "statement",
    "query",
    "macro",
    "lua",
    "yaml",
    "workflow",
    "notebook",
    "cell",
];
const CODE_SAID: &[&str] = &[
    "javascript",
    "python code",
    "shell command",
    "code to ",
    "script to ",
    "command to ",
    "source code",
    "sql",
    "lua script",
    "bash",
    "powershell",
    "to execute",
    "to run",
    "to evaluate",
];
/// Codes that are no code.
const NUMBERS: &[&str] = &[
    "zip",
    "country",
    "language",
    "postal",
    "account",
    "status",
    "area",
    "currency",
    "item",
    "pass",
    "auth",
    "error",
    "response",
    "verification",
    "promo",
    "coupon",
    "discount",
    "iso",
    "region",
    "state",
    "tax",
    "color",
    "bar",
    "qr",
    "airport",
    "exit",
    "product",
    "invite",
    "reason",
    "time",
    "pin",
    "user",
    "id",
];
/// Things that run.
const RUNNABLE: &[&str] = &[
    "command",
    "shell",
    "script",
    "code",
    "process",
    "terminal",
    "function",
    "program",
    "javascript",
    "js",
    "python",
    "bash",
    "cli",
    "sql",
    "pod",
    "expression",
    "notebook",
    "cell",
    "agent",
    "container",
    "console",
    "powershell",
    "workflow",
    "collection",
    "job",
    "pipeline",
    "query",
    "statement",
    "task",
    "lambda",
    "action",
];

/// Whether `leaf` is a program of a tool with this name, doing and description (lower-cased).
pub(super) fn read(leaf: &Leaf, name: &[String], doing: Doing, about: &str) -> Option<Program> {
    if matches!(leaf.shape, Shape::Switch | Shape::Number) || !leaf.choices.is_empty() {
        return None;
    }
    let own = leaf.name.as_slice();
    if last(
        own,
        &[
            "id", "name", "type", "path", "language", "timeout", "mode", "format", "url", "version", "key",
            "flag", "passcode",
        ],
    ) {
        return None;
    }
    let says_run = ["execut", "run a", "run the", "runs ", "evaluat"].iter().any(|t| about.contains(t));
    if matches!(doing, Doing::Destroy | Doing::Touch) {
        return None;
    }
    if any(own, COMMANDS) {
        return (doing != Doing::Read || says_run).then_some(Program::Runs);
    }
    let runs = verbs::runs(name) || doing == Doing::Run;
    if any(own, CODES) && !any(own, NUMBERS) {
        let said = CODE_SAID.iter().any(|t| leaf.text.contains(t));
        let plain_query =
            any(own, &["query", "function", "source", "statement", "expression", "workflow", "cell", "yaml"]);
        let sql = any(own, &["sql", "cypher"])
            || pair(own, "query", "string") && about.contains("sql")
            || any(own, &["query", "statement"]) && (leaf.text.contains("sql") || about.contains("sql"));
        if doing == Doing::Read {
            // `query` alone is the verb and the argument of a database; `read_query` and `validate_sql` are readers.
            return (sql && says_run && !verbs::reads_plainly(name)).then_some(Program::Runs);
        }
        if sql && !matches!(doing, Doing::Fetch) {
            return Some(Program::Runs);
        }
        let outright = any(name, &["evaluate", "eval", "execute", "exec"]);
        if runs && (!plain_query || said || outright || any(name, RUNNABLE)) {
            return Some(Program::Runs);
        }
        if any(own, &["manifest"]) && any(name, &["apply"]) {
            return Some(Program::Runs);
        }
        if !plain_query && (said || any(own, &["script", "manifest", "twiml", "javascript", "python"])) {
            return Some(if doing == Doing::Unknown { Program::Runs } else { Program::Stored });
        }
    }
    let spoken =
        any(own, &["input", "stdin", "prompt", "instruction", "action", "line", "text", "task", "data"]);
    // An agent that is told in words what to do does whatever the words say.
    let agent = any(name, &["agent", "assistant", "autopilot"]) && doing == Doing::Unknown;
    if spoken && (runs && any(name, RUNNABLE) || agent) {
        return Some(Program::Runs);
    }
    None
}

/// Whether the name says that something which runs by itself is written: a workflow, a worker, a script's content.
pub(super) fn stored(name: &[String]) -> bool {
    let thing = ["workflow", "automation", "worker", "lambda", "macro", "scenario"];
    any(name, &["create", "update", "put", "write", "edit", "deploy", "upload"]) && last(name, &thing)
        || pair(name, "script", "content")
}

/// Whether the name alone says that something is run (`run_script_function`, `shell_execute`).
pub(super) fn named(name: &[String]) -> bool {
    let verb =
        any(name, &["run", "execute", "exec", "eval", "evaluate", "invoke", "spawn", "interact", "trigger"]);
    verb && any(name, RUNNABLE)
        && !any(
            name,
            &[
                "get", "list", "read", "describe", "show", "stop", "delete", "create", "generate", "manage",
                "update",
            ],
        )
}

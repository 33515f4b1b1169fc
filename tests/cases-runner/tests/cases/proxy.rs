//! Plays a case through the real binary over stdio: `bouncer run` in front of a scripted server that lists the case's
//! tools and answers what the case has seen. The verdict is read from the audit log, and held against what reached the
//! server.
//!
//! An output of another server comes through a second proxy of the same session. What the user typed is put into the
//! session's folder, as the prompt hook does.

use super::case::Case;
use super::ruled::Ruled;
use bouncer::home::Home;
use bouncer::session::Session;
use bouncer::store::SessionKey;
use bouncer_e2e::Client;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// One Bouncer folder for all cases: compiled packs are cached in it. Each case has a session of its own.
pub struct Stage {
    home: Home,
    folder: PathBuf,
    played: Cell<usize>,
}

struct Played<'a> {
    stage: &'a Stage,
    session: String,
    folder: PathBuf,
    policy: PathBuf,
    /// Whether the human allows what is asked.
    willing: Rc<Cell<bool>>,
}

impl Stage {
    pub fn new(folder: &Path) -> Self {
        let home = Home::at(&folder.join("home"));
        home.prepare().unwrap();
        std::fs::create_dir(folder.join("work")).unwrap();
        Self { home, folder: folder.to_owned(), played: Cell::new(0) }
    }

    /// Where all servers run.
    pub fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// What came of the case; `Err` where it could not be played.
    pub fn play(&self, case: &Case, policy: &Path) -> Result<Ruled, String> {
        self.played.set(self.played.get() + 1);
        let session = format!("case {}", self.played.get());
        let folder = self.folder.join(&session);
        std::fs::create_dir(&folder).unwrap();
        // Cases give servers of one name and command other tools: each sees its own for the first time.
        let _ = std::fs::remove_dir_all(self.home.pins());
        // Held until the end: a session that nobody is in, and whose client cannot be found, is cleared away.
        let _member = case.prompt.as_ref().map(|prompt| {
            let key = SessionKey::find(None, Some(&session));
            let member = Session::shared(&self.home.sessions(), &key).unwrap();
            member.prompt(prompt).unwrap();
            member
        });
        let policy = policy.to_owned();
        let played = Played { stage: self, session, folder, policy, willing: Rc::new(Cell::new(true)) };
        played.play(case)
    }

    fn audit(&self) -> String {
        std::fs::read_to_string(self.home.audit()).unwrap_or_default()
    }
}

impl Played<'_> {
    fn play(&self, case: &Case) -> Result<Ruled, String> {
        let server = case.identity.name.as_str();
        let mut texts: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> =
            BTreeMap::from([(server, BTreeMap::new())]);
        for seen in &case.seen {
            texts.entry(&seen.server).or_default().entry(&seen.tool).or_default().push(&seen.text);
        }
        let mut clients: BTreeMap<&str, Client> = BTreeMap::new();
        for (name, answers) in &texts {
            let own = *name == server;
            let mut tools = if own { case.tools.clone() } else { Vec::new() };
            for tool in answers.keys().filter(|tool| !tools_have(&case.tools, tool) || !own) {
                tools.push(json!({"name": tool, "inputSchema": {"type": "object", "properties": {}}}));
            }
            let (command, reported) = if own {
                (case.identity.command.clone(), case.identity.reported_name.as_str())
            } else {
                (Vec::new(), *name)
            };
            let script = json!({"name": reported, "tools": tools, "answers": answers});
            clients.insert(name, self.start(name, &command, &script));
        }
        for seen in &case.seen {
            let client = clients.get_mut(seen.server.as_str()).unwrap();
            let result = client.call(&seen.tool, json!({}));
            if result["content"][0]["text"] != seen.text.as_str() {
                return Err(format!("the output of {}/{} does not come: {result}", seen.server, seen.tool));
            }
        }
        self.willing.set(false);
        let client = clients.get_mut(server).unwrap();
        let arguments: Value = serde_json::from_str(&case.call.arguments).unwrap();
        for _ in 1..case.attempts {
            client.call(&case.call.tool, arguments.clone());
        }
        let (lines, asked, reached) =
            (self.stage.audit().lines().count(), client.asked.len(), self.reached(server));
        client.call(&case.call.tool, arguments);
        let form = client.asked.get(asked).map(|form| form["requestedSchema"]["properties"].clone());
        let forwarded = self.reached(server) - reached;
        let log = self.stage.audit();
        let line: Value =
            log.lines().nth(lines).map(|line| serde_json::from_str(line).unwrap()).ok_or("no audit line")?;
        let ruled = ruled(&line, form.and_then(|form| Some(form.as_object()?.len())).unwrap_or_default());
        if forwarded != usize::from(ruled.verdict == "allow") {
            return Err(format!("{forwarded} calls reached the server: {ruled:?}"));
        }
        Ok(ruled)
    }

    /// Starts a proxy for `name`. The case's own command is found on the path, and is the scripted server.
    fn start(&self, name: &str, command: &[String], script: &Value) -> Client {
        let file = |what: &str| self.folder.join(format!("{name}.{what}"));
        std::fs::write(file("json"), script.to_string()).unwrap();
        let bin = file("bin");
        std::fs::create_dir(&bin).unwrap();
        let scripted = ["scripted-upstream".to_owned()];
        let command = if command.is_empty() { &scripted } else { command };
        let program = &command[0];
        assert!(!program.contains('/'), "`{program}`: only a program on the path can be played");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_scripted-upstream"), bin.join(program)).unwrap();
        let willing = Rc::clone(&self.willing);
        let mut client = Client::spawn(
            Command::new(bouncer_e2e::bouncer())
                .args(["run", "--upstream-name", name, "--session", &self.session, "--policy"])
                .arg(&self.policy)
                .arg("--")
                .args(command)
                .current_dir(self.stage.work())
                .env_remove("CLAUDE_CODE_SESSION_ID")
                .env("BOUNCER_HOME", self.stage.home.root())
                .env("BOUNCER_CASE_SCRIPT", file("json"))
                .env("BOUNCER_CASE_REACHED", file("reached"))
                .env("PATH", &bin),
        )
        .with_human(move |form| {
            let fields = form["requestedSchema"]["properties"].as_object().unwrap();
            let choice = if willing.get() { "allow once" } else { "deny" };
            let content: serde_json::Map<String, Value> =
                fields.keys().map(|key| (key.clone(), json!(choice))).collect();
            Some(json!({"action": "accept", "content": content}))
        });
        client.initialize("2025-11-25");
        client
    }

    fn reached(&self, server: &str) -> usize {
        let file = self.folder.join(format!("{server}.reached"));
        std::fs::read_to_string(file).unwrap_or_default().lines().count()
    }
}

fn tools_have(tools: &[Value], name: &str) -> bool {
    tools.iter().any(|tool| tool["name"] == name)
}

/// Reads an audit line. An ask that nobody can answer is logged as the deny that it becomes.
fn ruled(line: &Value, questions: usize) -> Ruled {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings: Vec<[String; 3]> = line["evidence"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|finding| [text(&finding["contract"]), text(&finding["code"]), text(&finding["verdict"])])
        .filter(|[.., verdict]| verdict != "allow")
        .collect();
    let unanswerable = line["verdict"] == "deny" && !findings.iter().any(|[.., verdict]| verdict == "deny");
    Ruled {
        verdict: if unanswerable { "ask".to_owned() } else { text(&line["verdict"]) },
        contract: text(&line["contract"]),
        reason: text(&line["reason"]),
        questions,
        findings,
    }
}

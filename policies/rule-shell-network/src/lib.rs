//! A rule for tools that run shell commands: what reaches the network is asked about, each host as a destination; what
//! cannot be told from the text is asked about too.

use bouncer_guest::prelude::*;
use bouncer_pack_table::mail::add;
use bouncer_pack_table::shell::{Reach, reach};

/// Settings of the rule.
#[derive(Debug, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Arguments that hold a command line, or a list of its words.
    pub arguments: Vec<String>,
    /// Tools to look at; empty: those with one of the arguments.
    pub tools: Vec<String>,
    /// Programs that may reach the network, and programs of the user's own that are known to be harmless.
    pub programs: Vec<String>,
    /// Whether a command that reaches the network is refused in the place of being asked about.
    pub deny: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let arguments = ["command", "cmd", "command_line", "commandLine", "shell_command", "script", "bash"];
        Self {
            arguments: arguments.map(str::to_owned).to_vec(),
            tools: Vec::new(),
            programs: Vec::new(),
            deny: false,
        }
    }
}

/// The rule.
#[derive(Debug)]
pub struct ShellNetwork;

impl Policy for ShellNetwork {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], settings: &Settings) -> Result<Vec<Contract>, Error> {
        let meant = |tool: &&Tool| match settings.tools.as_slice() {
            [] => tool.params().iter().any(|param| settings.arguments.contains(param)),
            named => named.iter().any(|name| name == tool.name()),
        };
        Ok(tools.iter().filter(meant).map(|tool| Contract::new(tool.name()).evaluate()).collect())
    }

    fn evaluate(
        call: &Call<'_>,
        destinations: &[Destination],
        settings: &Settings,
    ) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        let lines: Vec<(String, String)> =
            settings.arguments.iter().flat_map(|name| lines(call, &format!("/{name}"))).collect();
        if lines.is_empty() {
            judgement.push(Finding::ask("no_command", "there is no command where the rule looks for it"));
        }
        for (pointer, line) in lines {
            for reached in reach(&line).into_iter().take(20) {
                match reached {
                    Reach::Network { program, targets } => {
                        for target in targets {
                            let kind = if target.contains("://") { Kind::Url } else { Kind::Unknown };
                            add(&mut judgement, destinations, target, kind, &pointer);
                        }
                        if !settings.programs.contains(&program) {
                            let text = format!("`{program}` reaches the network");
                            let finding = if settings.deny {
                                Finding::deny("network", text)
                            } else {
                                Finding::ask("network", text)
                            };
                            judgement.push(finding.at(pointer.as_str()));
                        }
                    }
                    Reach::Program { name } if settings.programs.contains(&name) => {}
                    Reach::Program { name } => {
                        let text = format!("what `{name}` does is not known");
                        judgement.push(Finding::ask("unknown_reach", text).at(pointer.as_str()));
                    }
                    Reach::Unknown { why } => {
                        judgement.push(Finding::ask("unknown_reach", why).at(pointer.as_str()));
                    }
                }
            }
        }
        Ok(judgement)
    }
}

/// The command lines at a place; a list of words is one line, quoted so that no word is read as more than a word. Words
/// that a tool takes in an argument of their own (`args`) belong to the command.
fn lines(call: &Call<'_>, path: &str) -> Vec<(String, String)> {
    let quoted = |path: &str| -> Vec<String> {
        call.texts(path).iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect()
    };
    let mut lines = match call.get(path) {
        Some(Value::Array(_)) => vec![(path.to_owned(), quoted(path).join(" "))],
        _ => call.leaves(path),
    };
    for word in ["/args", "/arguments", "/argv"].iter().flat_map(|more| quoted(more)) {
        lines.iter_mut().for_each(|(_, line)| {
            line.push(' ');
            line.push_str(&word);
        });
    }
    lines
}

export_policy!(ShellNetwork);

#[cfg(test)]
mod tests;

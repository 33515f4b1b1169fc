//! The process that a session belongs to where nothing better names it: the first ancestor that is not a shell or a
//! launcher, told apart from a later process with the same number by its start time.

use std::path::Path;

/// A process, by number and start time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientProcess {
    /// The process number.
    pub pid: u32,
    /// When it started, as the system prints it; only ever compared.
    pub started: String,
}

/// What only starts other programs: an agent's servers and hooks may be started through any of them.
const LAUNCHERS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "fish",
    "ksh",
    "ash",
    "busybox",
    "env",
    "npx",
    "npm",
    "npm exec",
    "uv",
    "uvx",
    "pnpm",
    "bunx",
    "timeout",
    "nice",
    "nohup",
    "setsid",
    "sudo",
    "tini",
    "dumb-init",
    "cmd.exe",
    "powershell.exe",
    "pwsh",
    "bouncer",
];

struct Ancestor {
    parent: u32,
    name: String,
    process: ClientProcess,
}

impl ClientProcess {
    /// The client of this process; `None` where the system does not tell, or init adopted us.
    #[must_use]
    pub fn find() -> Option<Self> {
        let mut pid = parent_id();
        // Bounded, in case the table changes under our feet into a loop.
        for _ in 0..64 {
            if pid <= 1 {
                return None;
            }
            let ancestor = look(pid)?;
            if !LAUNCHERS.contains(&ancestor.name.as_str()) {
                return Some(ancestor.process);
            }
            pid = ancestor.parent;
        }
        None
    }

    /// Whether this very process still runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        look(self.pid).is_some_and(|now| now.process == *self)
    }
}

#[cfg(unix)]
fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

#[cfg(not(unix))]
fn parent_id() -> u32 {
    0
}

fn look(pid: u32) -> Option<Ancestor> {
    if Path::new("/proc/self/stat").exists() { from_proc(pid) } else { from_ps(pid) }
}

/// `/proc/PID/stat`: the name stands in parentheses and may hold anything, so fields are counted from the last one.
fn from_proc(pid: u32) -> Option<Ancestor> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (head, fields) = stat.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let state = *fields.first()?;
    if state == "Z" || state == "X" {
        return None;
    }
    let parent = fields.get(1)?.parse().ok()?;
    let started = (*fields.get(19)?).to_owned();
    Some(Ancestor { parent, name: name.to_owned(), process: ClientProcess { pid, started } })
}

fn from_ps(pid: u32) -> Option<Ancestor> {
    let output = std::process::Command::new("ps")
        .args(["-o", "ppid=,lstart=,comm=", "-p", &pid.to_string()])
        .env("LC_ALL", "C")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut words = text.split_ascii_whitespace();
    let parent = words.next()?.parse().ok()?;
    let started: Vec<&str> = words.by_ref().take(5).collect();
    let command: Vec<&str> = words.collect();
    let command = command.join(" ");
    let name = command.rsplit('/').next().unwrap_or_default().trim_start_matches('-').to_owned();
    Some(Ancestor { parent, name, process: ClientProcess { pid, started: started.join(" ") } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_until_it_is_reaped_and_not_mistaken_for_a_later_one() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = look(child.id()).unwrap().process;
        assert!(process.is_alive());
        let other = ClientProcess { started: "0".into(), ..process.clone() };
        assert!(!other.is_alive());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!process.is_alive());
    }

    #[test]
    fn proc_and_ps_agree_on_the_parent() {
        let me = std::process::id();
        if let (Some(a), Some(b)) = (from_proc(me), from_ps(me)) {
            assert_eq!(a.parent, b.parent);
        }
    }
}

//! The process that a session belongs to where nothing better names it: the first ancestor that is not a shell or a
//! launcher, told apart from a later process with the same number by its start time.

use crate::os;

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

impl ClientProcess {
    /// The client of this process; `None` where the system does not tell, or init adopted us.
    #[must_use]
    pub fn find() -> Option<Self> {
        let mut pid = os::parent_id();
        // Bounded, in case the table changes under our feet into a loop.
        for _ in 0..64 {
            if pid <= 1 {
                return None;
            }
            let ancestor = os::look(pid)?;
            if !is_launcher(&ancestor.name) {
                return Some(Self { pid, started: ancestor.started });
            }
            pid = ancestor.parent;
        }
        None
    }

    /// Whether this very process still runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        os::look(self.pid).is_some_and(|now| now.started == self.started)
    }
}

fn is_launcher(name: &str) -> bool {
    let bare = if cfg!(windows) { name.strip_suffix(".exe").unwrap_or(name) } else { name };
    LAUNCHERS.contains(&name) || LAUNCHERS.contains(&bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_until_it_is_reaped_and_not_mistaken_for_a_later_one() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let started = os::look(child.id()).unwrap().started;
        let process = ClientProcess { pid: child.id(), started };
        assert!(process.is_alive());
        let other = ClientProcess { started: "0".into(), ..process.clone() };
        assert!(!other.is_alive());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!process.is_alive());
    }
}

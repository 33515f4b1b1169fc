//! The table of processes: `/proc` where there is one, `ps` elsewhere.

use crate::os::Process;
use std::path::Path;

/// The process that started this one.
pub(crate) fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

/// A running process; `None` where there is none of this number, or the system does not tell.
pub(crate) fn look(pid: u32) -> Option<Process> {
    if Path::new("/proc/self/stat").exists() { from_proc(pid) } else { from_ps(pid) }
}

/// `/proc/PID/stat`: the name stands in parentheses and may hold anything, so fields are counted from the last one.
fn from_proc(pid: u32) -> Option<Process> {
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
    Some(Process { parent, name: name.to_owned(), started })
}

fn from_ps(pid: u32) -> Option<Process> {
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
    Some(Process { parent, name, started: started.join(" ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_and_ps_agree_on_the_parent() {
        let me = std::process::id();
        if let (Some(a), Some(b)) = (from_proc(me), from_ps(me)) {
            assert_eq!(a.parent, b.parent);
        }
    }
}

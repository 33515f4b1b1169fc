//! Which file a command means on Windows, where `npx` is `npx.cmd`: the system's own search adds `.exe` only. Looks
//! nothing up by itself and knows no system, so that it can be tested on all.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What can be started as a process, of all that PATHEXT may list (`.js` and its like need a shell).
const STARTED: [&str; 4] = [".com", ".exe", ".bat", ".cmd"];

/// The file that `command` means: itself where it names a folder, otherwise the first of that name in `path`, with the
/// endings of `pathext` in their order. `None` where there is none; relative folders in `path` are passed over, because
/// whoever can write to the working directory could put a program there.
pub(super) fn find(
    command: &OsStr,
    path: impl Iterator<Item = PathBuf>,
    pathext: Option<&str>,
    is_file: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let name = command.to_string_lossy();
    if name.is_empty() {
        return None;
    }
    let endings = endings(pathext);
    let complete = endings.iter().any(|ending| ends_with(&name, ending));
    let at = |folder: Option<&Path>| {
        let with = |ending: &str| {
            let mut file = OsString::from(command);
            file.push(ending);
            folder.map_or_else(|| PathBuf::from(&file), |folder| folder.join(&file))
        };
        // `tool.exe` first means itself; what has no known ending cannot be started as it is (npm puts a shell script
        // `npx` beside `npx.cmd`).
        let own = complete.then(|| with(""));
        own.into_iter().chain(endings.iter().map(|ending| with(ending))).find(|file| is_file(file))
    };
    if name.contains(['/', '\\', ':']) {
        return at(None);
    }
    path.filter(|folder| is_full(folder)).find_map(|folder| at(Some(&folder)))
}

/// The endings of PATHEXT that can be started, or the system's own where it is not set.
fn endings(pathext: Option<&str>) -> Vec<String> {
    let listed = pathext.unwrap_or_default().split(';').map(str::trim);
    let known = |ending: &&str| STARTED.iter().any(|started| started.eq_ignore_ascii_case(ending));
    let endings: Vec<String> = listed.filter(known).map(str::to_ascii_lowercase).collect();
    if endings.is_empty() { STARTED.map(str::to_owned).to_vec() } else { endings }
}

fn ends_with(name: &str, ending: &str) -> bool {
    let at = name.len().checked_sub(ending.len()).filter(|at| *at > 0);
    at.and_then(|at| name.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// `C:\x` or `\\server\share`; by text, as this is tested on other systems.
fn is_full(folder: &Path) -> bool {
    let text = folder.to_string_lossy();
    let mut letters = text.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some(drive), Some(':'), Some('/' | '\\')) => drive.is_ascii_alphabetic(),
        (Some('/' | '\\'), Some('/' | '\\'), Some(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 7] = [
        "C:/node/npx",
        "C:/node/npx.cmd",
        "C:/node/node.exe",
        "C:/tools/npx.exe",
        "C:/tools/run.bat",
        "C:/tools/a.b.exe",
        "tools/npx.cmd",
    ];

    fn found(command: &str, path: &[&str], pathext: Option<&str>) -> Option<String> {
        let is_file = |file: &Path| FILES.iter().any(|known| Path::new(known) == file);
        let path = path.iter().map(PathBuf::from);
        find(OsStr::new(command), path, pathext, is_file).map(|file| file.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_bare_name_is_the_first_startable_file_on_the_path() {
        let both = ["C:/node", "C:/tools"];
        let usual = Some(".COM;.EXE;.BAT;.CMD;.VBS;.JS");
        assert_eq!(found("npx", &both, usual).as_deref(), Some("C:/node/npx.cmd"));
        assert_eq!(found("npx", &["C:/tools", "C:/node"], usual).as_deref(), Some("C:/tools/npx.exe"));
        assert_eq!(found("node", &both, usual).as_deref(), Some("C:/node/node.exe"));
        assert_eq!(found("Node.EXE", &both, usual), None, "the disk knows no case, this test's does");
        assert_eq!(found("node.exe", &both, usual).as_deref(), Some("C:/node/node.exe"));
        assert_eq!(found("npx.cmd", &both, usual).as_deref(), Some("C:/node/npx.cmd"));
        assert_eq!(found("a.b", &both, usual).as_deref(), Some("C:/tools/a.b.exe"), "`.b` is no ending");
        assert_eq!(found("run", &both, None).as_deref(), Some("C:/tools/run.bat"), "the system's endings");
        assert_eq!(found("run", &both, Some(".EXE;.CMD")), None);
        assert_eq!(found("nothing", &both, usual), None);
        assert_eq!(found("", &both, usual), None);
    }

    #[test]
    fn the_working_directory_is_not_searched() {
        for folder in ["", ".", "tools", "/tools", "C:tools"] {
            assert_eq!(found("npx", &[folder], None), None, "{folder}");
        }
        assert_eq!(found("npx", &["tools", "C:/node"], None).as_deref(), Some("C:/node/npx.cmd"));
    }

    #[test]
    fn a_command_with_a_folder_is_no_other() {
        assert_eq!(found("C:/node/npx", &[], None).as_deref(), Some("C:/node/npx.cmd"));
        assert_eq!(found("tools/npx", &["C:/node"], None).as_deref(), Some("tools/npx.cmd"));
        assert_eq!(found("C:/gone/npx", &["C:/node"], None), None);
    }
}

//! The options of programs that run other programs, as `getopt` reads them: letters in a cluster, values in the same word or
//! in the next one. An option that is not known here might take the word after it, which then is no program.

use super::Word;

/// What is known of a program's options.
pub(super) struct Known {
    /// Letters that stand alone.
    flags: &'static str,
    /// Letters with a value: the rest of the word or, where there is none, the next word.
    valued: &'static str,
    /// Letters that may have a value, and only in their own word.
    attached: &'static str,
    /// Long options by their whole names, as more than one may begin alike.
    long_flags: &'static [&'static str],
    long_valued: &'static [&'static str],
}

const NONE: Known = Known { flags: "", valued: "", attached: "", long_flags: &[], long_valued: &[] };

/// Shells. What decides which files they read first (`--rcfile`) is not among them.
pub(super) const SHELL: Known = Known {
    flags: "abcefhiklmnprtuvxBCEHPT",
    valued: "oO",
    long_flags: &["login", "norc", "noprofile", "posix", "verbose", "restricted", "noediting"],
    ..NONE
};

/// Runs the text of every `-c`.
pub(super) const FISH: Known =
    Known { flags: "ilnN", valued: "c", long_flags: &["login", "no-config"], ..NONE };

/// Programs that run the command after their options.
pub(super) const WRAPPERS: &[(&str, Known)] = &[
    (
        "sudo",
        Known {
            flags: "ABbEHiKkNnPSsVv",
            valued: "acCDghpRrTtUu",
            long_flags: &[
                "askpass",
                "background",
                "bell",
                "login",
                "no-update",
                "non-interactive",
                "preserve-env",
                "preserve-groups",
                "set-home",
                "shell",
                "stdin",
            ],
            long_valued: &[
                "chdir",
                "chroot",
                "close-from",
                "command-timeout",
                "group",
                "host",
                "other-user",
                "prompt",
                "role",
                "type",
                "user",
            ],
            ..NONE
        },
    ),
    ("doas", Known { flags: "Lns", valued: "aCu", ..NONE }),
    (
        "env",
        Known {
            flags: "0iv",
            valued: "aCLPSUu",
            long_flags: &[
                "block-signal",
                "debug",
                "default-signal",
                "ignore-environment",
                "ignore-signal",
                "list-signal-handling",
                "null",
            ],
            long_valued: &["argv0", "chdir", "split-string", "unset"],
            ..NONE
        },
    ),
    ("nohup", NONE),
    ("nice", Known { flags: "0123456789", valued: "n", long_valued: &["adjustment"], ..NONE }),
    (
        "ionice",
        Known {
            flags: "t",
            valued: "cnPpu",
            long_flags: &["ignore"],
            long_valued: &["class", "classdata", "pid", "pgid", "uid"],
            ..NONE
        },
    ),
    (
        "timeout",
        Known {
            flags: "fpv",
            valued: "ks",
            long_flags: &["foreground", "preserve-status", "verbose"],
            long_valued: &["kill-after", "signal"],
            ..NONE
        },
    ),
    ("stdbuf", Known { valued: "eio", long_valued: &["error", "input", "output"], ..NONE }),
    ("setsid", Known { flags: "cfw", long_flags: &["ctty", "fork", "wait"], ..NONE }),
    ("exec", Known { flags: "cl", valued: "a", ..NONE }),
    ("command", Known { flags: "pvV", ..NONE }),
    ("builtin", NONE),
    (
        "xargs",
        Known {
            flags: "0oprtx",
            valued: "adEIJLnPRSs",
            attached: "eil",
            long_flags: &[
                "eof",
                "exit",
                "interactive",
                "max-lines",
                "no-run-if-empty",
                "null",
                "open-tty",
                "replace",
                "show-limits",
                "verbose",
            ],
            long_valued: &["arg-file", "delimiter", "max-args", "max-chars", "max-procs", "process-slot-var"],
        },
    ),
    ("busybox", NONE),
    (
        "watch",
        Known {
            flags: "bcCdegprtwx",
            valued: "nqs",
            long_flags: &[
                "beep",
                "chgexit",
                "color",
                "differences",
                "errexit",
                "exec",
                "no-color",
                "no-rerun",
                "no-title",
                "no-wrap",
                "precise",
            ],
            long_valued: &["equexit", "interval", "shotsdir"],
            ..NONE
        },
    ),
    ("chronic", Known { flags: "ev", ..NONE }),
];

/// Hands each option and its value to `seen`, and gives the words after all of them; the option that is not known and the
/// words after it, where there is one.
pub(super) fn read<'w>(
    mut words: &'w [Word],
    known: &Known,
    mut seen: impl FnMut(&str, &str),
) -> Result<&'w [Word], (&'w str, &'w [Word])> {
    while let Some((first, rest)) = words.split_first() {
        let text = first.text.as_str();
        // Of a value in the next word.
        let next = || rest.split_first().ok_or((text, rest));
        let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) else { break };
        words = rest;
        if let Some(long) = cluster.strip_prefix('-') {
            if long.is_empty() {
                break;
            }
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            if known.long_flags.contains(&name) {
                seen(name, value.unwrap_or_default());
            } else if known.long_valued.contains(&name) {
                let value = match value {
                    Some(value) => value,
                    None => {
                        let (value, after) = next()?;
                        words = after;
                        value.text.as_str()
                    }
                };
                seen(name, value);
            } else {
                return Err((text, rest));
            }
            continue;
        }
        let mut letters = cluster.char_indices();
        while let Some((at, letter)) = letters.next() {
            let after = letters.as_str();
            let name = cluster.get(at..cluster.len() - after.len()).unwrap_or_default();
            if known.flags.contains(letter) {
                seen(name, "");
            } else if known.attached.contains(letter) || known.valued.contains(letter) && !after.is_empty() {
                seen(name, after);
                break;
            } else if known.valued.contains(letter) {
                let (value, after) = next()?;
                words = after;
                seen(name, value.text.as_str());
            } else {
                return Err((text, rest));
            }
        }
    }
    Ok(words)
}

//! Gives the pages of the program that only its start has used back to the system, once: what a proxy that waits for its client
//! needs is a tenth of them. They are clean pages of a file, so that whatever is needed again is there again, at the cost of
//! a page fault. Nothing that the program has written is touched.

#![allow(unsafe_code, reason = "the system takes memory by address")]

use rustix::mm::{Advice, madvise};
use std::ops::Range;
use std::sync::Once;

/// Gives them back, the first time that it is called. What the system does not tell or do, stays as it is.
pub(crate) fn give_back_start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(all_at_once);
}

fn all_at_once() {
    let Ok(program) = std::env::current_exe() else { return };
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
    for range in unwritten(&maps, &program.to_string_lossy()) {
        let start = std::ptr::without_provenance_mut(range.start);
        // SAFETY: these are private mappings of a file that were never writable, so that no page of them differs from the file,
        // from which the system reads it again; nothing refers to them by a pointer that was made here.
        let _ = unsafe { madvise(start, range.len(), Advice::LinuxDontNeed) };
    }
}

/// Where the program's code is mapped and what is constant before it. Behind the code lie constants that were written when
/// the program was loaded, which look the same: they would be lost.
fn unwritten(maps: &str, program: &str) -> Vec<Range<usize>> {
    let mappings: Vec<(Range<usize>, &str)> =
        maps.lines().filter_map(|line| mapping(line, program)).collect();
    let Some(code) = mappings.iter().rposition(|(_, rights)| *rights == "r-xp") else { return Vec::new() };
    let unwritten = mappings.into_iter().take(code + 1);
    unwritten.filter(|(_, rights)| matches!(*rights, "r-xp" | "r--p")).map(|(range, _)| range).collect()
}

/// A line of the system's list, if it is about the program: where, and with which rights.
fn mapping<'a>(line: &'a str, program: &str) -> Option<(Range<usize>, &'a str)> {
    let mut parts = line.splitn(6, ' ');
    let (start, end) = parts.next()?.split_once('-')?;
    let rights = parts.next()?;
    let path = parts.nth(3)?.trim_start();
    let hex = |text| usize::from_str_radix(text, 16).ok();
    (path == program).then_some((hex(start)?..hex(end)?, rights))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_the_constants_before_it_are_found_and_no_more() {
        let maps = "\
1000-2000 r--p 00000000 fd:00 42                         /opt/a b/bouncer
2000-5000 r-xp 00001000 fd:00 42                         /opt/a b/bouncer
5000-6000 r--p 00004000 fd:00 42                         /opt/a b/bouncer
6000-7000 rw-p 00005000 fd:00 42                         /opt/a b/bouncer
7000-8000 rw-p 00000000 00:00 0                          [heap]
8000-9000 r-xp 00000000 fd:00 43                         /lib/libc.so.6
";
        assert_eq!(unwritten(maps, "/opt/a b/bouncer"), [0x1000..0x2000, 0x2000..0x5000]);
        assert!(unwritten(maps, "/opt/bouncer").is_empty());
        assert!(unwritten("nonsense", "/opt/bouncer").is_empty());
    }
}

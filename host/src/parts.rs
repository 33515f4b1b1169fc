//! Writing what lies in several places in one go, without copying it together.

use crate::os;
use std::fs::File;
use std::io::{self, IoSlice, Write};

/// As `write_all`, one part after the other. Waits where somebody made the descriptor non-blocking.
pub(crate) fn write_all(mut out: &File, parts: &[&[u8]]) -> io::Result<()> {
    let mut slices: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let mut left = slices.as_mut_slice();
    // Empty ones at the beginning would be written as nothing, which looks like a full disk.
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match out.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => IoSlice::advance_slices(&mut left, n),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => os::wait_for_room(out),
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn parts_arrive_whole_and_in_order_however_little_a_pipe_takes_at_once() {
        let large = vec![b'x'; 1 << 20];
        let parts: [&[u8]; 6] = [b"", b"one", b"", &large, b"", b"two"];
        let (mut reader, writer) = std::io::pipe().unwrap();
        let writer = File::from(std::os::fd::OwnedFd::from(writer));
        let read = std::thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).map(|_| all).unwrap()
        });
        write_all(&writer, &parts).unwrap();
        write_all(&writer, &[b"", b""]).unwrap();
        drop(writer);
        assert_eq!(read.join().unwrap(), parts.concat());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_written_is_an_error() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        assert!(write_all(&full, &[b"", b"x"]).is_err());
    }
}

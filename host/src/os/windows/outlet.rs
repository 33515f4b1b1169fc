//! This process's own ends, and whether anybody reads what is written to a pipe.
//!
//! The state of a pipe is asked of the file system itself: the documented calls need rights that the writing end has not,
//! and a write of nothing would be read as the end by some.
#![allow(unsafe_code, reason = "pipes are asked by a call of the system's")]

use super::checked;
use super::group::size_of_u32;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsHandle as _, AsRawHandle as _, BorrowedHandle};
use std::time::Duration;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_PIPE_CLOSING_STATE, FILE_PIPE_DISCONNECTED_STATE, FILE_PIPE_LOCAL_INFORMATION,
    FilePipeLocalInformation, NtQueryInformationFile,
};
use windows_sys::Win32::Foundation::{
    HANDLE_FLAG_INHERIT, STATUS_PIPE_BROKEN, STATUS_PIPE_CLOSING, STATUS_PIPE_DISCONNECTED,
    SetHandleInformation,
};
use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_PIPE, GetFileType};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

/// How often it is looked whether the client still reads.
const LOOK: Duration = Duration::from_millis(500);

/// Standard input and output as files. From now on no program that this process starts inherits them: a server must not
/// write to the client past Bouncer, nor keep the client's pipe open.
pub(crate) fn standard_ends() -> io::Result<(File, File)> {
    let (input, output) = (io::stdin(), io::stdout());
    Ok((taken(input.as_handle())?, taken(output.as_handle())?))
}

fn taken(end: BorrowedHandle<'_>) -> io::Result<File> {
    let own = end.try_clone_to_owned()?;
    // SAFETY: the handle is open.
    checked(unsafe { SetHandleInformation(end.as_raw_handle(), HANDLE_FLAG_INHERIT, 0) })?;
    Ok(File::from(own))
}

/// What is known of a pipe.
enum Pipe {
    /// Bytes that can be written now without waiting.
    Open(u32),
    /// Nobody reads it any more.
    Gone,
    /// It is none, or the system does not tell.
    Unknown,
}

/// Waits for a write that goes on through the same file; nobody calls it then.
fn look(out: &File) -> Pipe {
    let mut found = FILE_PIPE_LOCAL_INFORMATION::default();
    let mut status = IO_STATUS_BLOCK::default();
    // SAFETY: the file is open; there is room for what is asked for, whose size is told.
    let told = unsafe {
        NtQueryInformationFile(
            out.as_raw_handle(),
            &raw mut status,
            (&raw mut found).cast(),
            size_of_u32(&found),
            FilePipeLocalInformation,
        )
    };
    match (told, found.NamedPipeState) {
        (0.., FILE_PIPE_CLOSING_STATE | FILE_PIPE_DISCONNECTED_STATE)
        | (STATUS_PIPE_CLOSING | STATUS_PIPE_DISCONNECTED | STATUS_PIPE_BROKEN, _) => Pipe::Gone,
        (0.., _) => Pipe::Open(found.WriteQuotaAvailable),
        _ => Pipe::Unknown,
    }
}

/// Whether somebody can still read what is written.
pub(crate) fn has_reader(out: &File) -> bool {
    !matches!(look(out), Pipe::Gone)
}

/// Waits until nobody can read any more what is written to `out`: a killed client is noticed so even while the server is
/// silent and reads nothing.
pub(crate) fn wait_until_gone(out: &File) {
    loop {
        match look(out) {
            Pipe::Gone => return,
            Pipe::Open(_) => std::thread::sleep(LOOK),
            Pipe::Unknown => std::thread::park(),
        }
    }
}

/// Whether `bytes` bytes can be written now without waiting: what a waiting reader has asked for is counted as taken, so
/// that the answer may be no where it could be yes, never the other way round.
pub(crate) fn has_room(out: &File, bytes: usize) -> bool {
    match look(out) {
        Pipe::Open(room) => usize::try_from(room).is_ok_and(|room| bytes <= room),
        Pipe::Gone => false,
        // A disk or a console does not wait for a reader.
        // SAFETY: the file is open.
        Pipe::Unknown => unsafe { GetFileType(out.as_raw_handle()) != FILE_TYPE_PIPE },
    }
}

/// Waits after a write that found no room: the pipe was set not to wait, by whom it belongs to.
pub(crate) fn wait_for_room(_out: &File) {
    std::thread::sleep(Duration::from_millis(5));
}

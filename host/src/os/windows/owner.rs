//! Who this process is, and who may enter a folder: access lists, which are judged as text in [`crate::os::access`].
#![allow(unsafe_code, reason = "descriptors are handed out by address")]

use super::{checked, owned};
use crate::os::access;
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;
use std::ptr::{null, null_mut};
use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::Security::Authorization::{
    ConvertSecurityDescriptorToStringSecurityDescriptorW, ConvertSidToStringSidW,
    ConvertStringSecurityDescriptorToSecurityDescriptorW, GetNamedSecurityInfoW, SDDL_REVISION_1,
    SE_FILE_OBJECT, SetNamedSecurityInfoW,
};
use windows_sys::Win32::Security::{
    DACL_SECURITY_INFORMATION, GetSecurityDescriptorDacl, GetTokenInformation, OWNER_SECURITY_INFORMATION,
    PROTECTED_DACL_SECURITY_INFORMATION, TOKEN_QUERY, TOKEN_USER, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Something that the system allocated for the caller.
struct Local<T>(*mut T);

impl<T> Drop for Local<T> {
    fn drop(&mut self) {
        // SAFETY: allocated by the system for this, and freed once; nothing is done where it is null.
        unsafe { LocalFree(self.0.cast()) };
    }
}

impl Local<u16> {
    /// A text that ends with a zero.
    fn text(&self) -> String {
        let mut units = Vec::new();
        let mut at = self.0;
        // SAFETY: the system's text ends with a zero, and nothing behind that is read.
        unsafe {
            while *at != 0 {
                units.push(*at);
                at = at.add(1);
            }
        }
        String::from_utf16_lossy(&units)
    }
}

/// Whether nobody else may enter the folder.
pub(super) fn is_private(folder: &Path) -> io::Result<bool> {
    let written_as = shown(&format!("O:{}", user()?))?;
    let user = access::owner(&written_as).unwrap_or_default().to_owned();
    let mut descriptor = Local::<u8>(null_mut());
    let name = wide(&folder.as_os_str().encode_wide().collect::<Vec<_>>());
    let asked = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
    // SAFETY: the name ends with a zero; parts that are not wanted are null; the descriptor is freed by `Local`.
    let error = unsafe {
        GetNamedSecurityInfoW(
            name.as_ptr(),
            SE_FILE_OBJECT,
            asked,
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            (&raw mut descriptor.0).cast(),
        )
    };
    worked(error)?;
    Ok(access::is_private(&written(descriptor.0, asked)?, &user))
}

/// Leaves the folder, and what is in it, to this user, the administrators and the system.
pub(super) fn close(folder: &Path) -> io::Result<()> {
    let user = user()?;
    let list = parsed(&format!("D:P(A;OICI;FA;;;{user})(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"))?;
    let (mut present, mut defaulted, mut entries) = (0, 0, null_mut());
    // SAFETY: a whole descriptor; the list that is pointed to lies in it and lives as long.
    checked(unsafe {
        GetSecurityDescriptorDacl(list.0.cast(), &raw mut present, &raw mut entries, &raw mut defaulted)
    })?;
    let name = wide(&folder.as_os_str().encode_wide().collect::<Vec<_>>());
    // SAFETY: the name ends with a zero; the list outlives the call; what is not set is null.
    worked(unsafe {
        SetNamedSecurityInfoW(
            name.as_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
            null_mut(),
            null_mut(),
            entries,
            null(),
        )
    })
}

/// The identifier of the user that this process runs as.
fn user() -> io::Result<String> {
    let mut token = null_mut();
    // SAFETY: the process's own handle needs no closing; the token's is taken over below.
    checked(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
    let token = owned(token)?;
    // In eights, as it begins with an address. No identifier is longer than 68 bytes.
    let mut room = [0_u64; 32];
    let mut length = 0;
    let bytes = u32::try_from(size_of_val(&room)).unwrap_or_default();
    // SAFETY: room for as many bytes as are told, aligned for what is written to it.
    checked(unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            TokenUser,
            room.as_mut_ptr().cast(),
            bytes,
            &raw mut length,
        )
    })?;
    let mut text = Local::<u16>(null_mut());
    // SAFETY: the call before wrote a `TOKEN_USER` there, whose identifier lies behind it in the same room.
    checked(unsafe {
        ConvertSidToStringSidW((*room.as_ptr().cast::<TOKEN_USER>()).User.Sid, &raw mut text.0)
    })?;
    Ok(text.text())
}

/// A descriptor as the system itself writes it: some users have names of two letters there.
fn shown(descriptor: &str) -> io::Result<String> {
    written(parsed(descriptor)?.0, OWNER_SECURITY_INFORMATION)
}

fn parsed(text: &str) -> io::Result<Local<u8>> {
    let mut descriptor = Local::<u8>(null_mut());
    let text = wide(&text.encode_utf16().collect::<Vec<_>>());
    // SAFETY: the text ends with a zero; the descriptor is freed by `Local`.
    checked(unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            text.as_ptr(),
            SDDL_REVISION_1,
            (&raw mut descriptor.0).cast(),
            null_mut(),
        )
    })?;
    Ok(descriptor)
}

fn written(descriptor: *mut u8, parts: u32) -> io::Result<String> {
    let mut text = Local::<u16>(null_mut());
    // SAFETY: a whole descriptor of the system's; the text is freed by `Local`.
    checked(unsafe {
        ConvertSecurityDescriptorToStringSecurityDescriptorW(
            descriptor.cast(),
            SDDL_REVISION_1,
            parts,
            &raw mut text.0,
            null_mut(),
        )
    })?;
    Ok(text.text())
}

fn wide(units: &[u16]) -> Vec<u16> {
    units.iter().copied().chain(std::iter::once(0)).collect()
}

fn worked(error: u32) -> io::Result<()> {
    if error == 0 {
        return Ok(());
    }
    Err(io::Error::from_raw_os_error(i32::try_from(error).unwrap_or(i32::MAX)))
}

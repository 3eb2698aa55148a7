//! The ioctls of the kernel's NVMe driver.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `NVME_IOCTL_ID`: the namespace ID of a handle.
const NAMESPACE_ID: libc::c_ulong = 0x4E40;
/// `NVME_IOCTL_ADMIN_CMD`.
const ADMIN_COMMAND: libc::c_ulong = 0xC048_4E41;

/// `struct nvme_passthru_cmd`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Passthrough {
    pub opcode: u8,
    pub flags: u8,
    pub reserved: u16,
    pub namespace: u32,
    pub word2: u32,
    pub word3: u32,
    pub metadata: u64,
    pub address: u64,
    pub metadata_length: u32,
    pub data_length: u32,
    pub word10: u32,
    pub word11: u32,
    pub word12: u32,
    pub word13: u32,
    pub word14: u32,
    pub word15: u32,
    pub timeout_ms: u32,
    pub result: u32,
}

/// The namespace ID of a handle; an error if it is not of an NVMe namespace.
///
/// Device mapper and bcache pass this and every command on to the drive below, so a handle that answers need not be of
/// the namespace itself (`guard::built_on`).
pub fn namespace_id(file: &File) -> io::Result<u32> {
    // SAFETY: the handle is open, and this call takes no pointer.
    let number = unsafe { libc::ioctl(file.as_raw_fd(), NAMESPACE_ID) };
    match u32::try_from(number) {
        Ok(0) => Err(io::Error::other("the kernel reports namespace 0")),
        Ok(number) => Ok(number),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Sends an admin command without data, and returns the controller's status, 0 for success, and its result.
pub fn submit_for_result(file: &File, mut command: Passthrough) -> io::Result<(u16, u32)> {
    // SAFETY: the handle is open, the command outlives the call, and it names no memory. The kernel writes its result
    // to the command.
    let status = unsafe { libc::ioctl(file.as_raw_fd(), ADMIN_COMMAND, &raw mut command) };
    let status = u16::try_from(status).map_err(|_| io::Error::last_os_error())?;
    Ok((status, command.result))
}

/// Sends an admin command whose answer fills `data`, and returns the controller's status, 0 for success.
pub fn submit(file: &File, mut command: Passthrough, data: &mut [u8]) -> io::Result<u16> {
    command.address = if data.is_empty() { 0 } else { data.as_mut_ptr() as u64 };
    command.data_length = u32::try_from(data.len()).map_err(io::Error::other)?;
    // SAFETY: the handle is open, the command outlives the call, and `data` is a borrow of the length in it. The kernel
    // has ended the transfer when the call returns.
    let status = unsafe { libc::ioctl(file.as_raw_fd(), ADMIN_COMMAND, &raw mut command) };
    u16::try_from(status).map_err(|_| io::Error::last_os_error())
}

//! Admin commands that only read.

use std::fmt;
use std::fs::File;
use std::io;

use super::identify::{Controller, IDENTIFY_BYTES, LIST_LENGTH, NamespaceFormat, namespace_list};
pub use super::ioctl::namespace_id;
use super::ioctl::{Passthrough, submit};
use super::log::{LOG_BYTES, SanitizeLog};

const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY: u8 = 0x06;
const CNS_NAMESPACE: u32 = 0x00;
const CNS_CONTROLLER: u32 = 0x01;
const CNS_ACTIVE: u32 = 0x02;
const CNS_ALLOCATED: u32 = 0x10;
const SANITIZE_STATUS: u8 = 0x81;
/// The namespace ID for all namespaces.
const ALL: u32 = 0xFFFF_FFFF;
/// A drive that recovers from an error answers late, and the kernel resets a controller that does not answer in time.
pub const READ_MS_MAX: u32 = 30_000;
/// Lists of 1024 IDs each: more than a controller may have.
const LISTS_MAX: usize = 64;

/// The status of a command that a controller did not carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NvmeStatus(pub u16);

impl fmt::Display for NvmeStatus {
    fn fmt(&self, into: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.0 & 0x7FF;
        let name = match status {
            0x001 => "Invalid Command Opcode",
            0x002 => "Invalid Field in Command",
            0x006 => "Internal Error",
            0x007 => "Command Abort Requested",
            0x00B => "Invalid Namespace or Format",
            0x00C => "Command Sequence Error",
            0x015 => "Operation Denied",
            0x01C => "Sanitize Failed",
            0x01D => "Sanitize In Progress",
            0x020 => "Namespace is Write Protected",
            0x023 => "Sanitize Prohibited While Persistent Memory Region is Enabled",
            0x084 => "Format In Progress",
            0x10A => "Invalid Format",
            0x10B => "Firmware Activation Requires Conventional Reset",
            0x286 => "Access Denied",
            _ => return write!(into, "NVMe status {status:#05x}"),
        };
        write!(into, "NVMe status {status:#05x}, {name}")
    }
}

impl std::error::Error for NvmeStatus {}

/// The capabilities of the controller of a namespace's handle.
pub fn controller(file: &File) -> io::Result<Controller> {
    Ok(Controller::parse(&identify_controller(file)?))
}

/// The size and format of the namespace of a handle.
pub fn namespace(file: &File) -> io::Result<NamespaceFormat> {
    let data = identify(file, CNS_NAMESPACE, namespace_id(file)?)?;
    NamespaceFormat::parse(&data).ok_or_else(|| io::Error::other("the namespace reports no logical block size"))
}

/// The IDs of all namespaces of the subsystem, attached or not, if the controller can list them. Otherwise those that
/// are attached to the controller, which are all of them only if the subsystem has no other controller.
pub fn allocated_namespaces(file: &File, controller: &Controller) -> io::Result<Vec<u32>> {
    if !controller.manages_namespaces {
        if controller.is_shared {
            return Err(io::Error::other(
                "the drive may have other controllers, and does not list namespaces that are not attached to this one",
            ));
        }
        return list(file, CNS_ACTIVE);
    }
    let mut found = list(file, CNS_ALLOCATED)?;
    found.extend(list(file, CNS_ACTIVE)?);
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The Sanitize Status log page.
pub fn sanitize_log(file: &File) -> io::Result<SanitizeLog> {
    Ok(SanitizeLog::parse(&log_page::<LOG_BYTES>(file, SANITIZE_STATUS)?))
}

/// The first `N` bytes of a log page of the whole controller.
pub fn log_page<const N: usize>(file: &File, page: u8) -> io::Result<[u8; N]> {
    let mut data = [0; N];
    let words = u32::try_from(N / 4 - 1).expect("a log page is small");
    let command = Passthrough {
        opcode: GET_LOG_PAGE,
        namespace: ALL,
        word10: u32::from(page) | words << 16,
        timeout_ms: READ_MS_MAX,
        ..Passthrough::default()
    };
    done(submit(file, command, &mut data)?)?;
    Ok(data)
}

/// What the controller of a handle reports about itself, as it is.
pub fn identify_controller(file: &File) -> io::Result<[u8; IDENTIFY_BYTES]> {
    identify(file, CNS_CONTROLLER, 0)
}

fn list(file: &File, kind: u32) -> io::Result<Vec<u32>> {
    let mut found: Vec<u32> = Vec::new();
    for _ in 0..LISTS_MAX {
        let more = namespace_list(&identify(file, kind, found.last().copied().unwrap_or(0))?);
        let is_last = more.len() < LIST_LENGTH;
        found.extend(more);
        if is_last {
            return Ok(found);
        }
    }
    Err(io::Error::other("the list of namespaces does not end"))
}

fn identify(file: &File, kind: u32, namespace: u32) -> io::Result<[u8; IDENTIFY_BYTES]> {
    let mut data = [0; IDENTIFY_BYTES];
    let command =
        Passthrough { opcode: IDENTIFY, namespace, word10: kind, timeout_ms: READ_MS_MAX, ..Passthrough::default() };
    done(submit(file, command, &mut data)?)?;
    Ok(data)
}

/// A status other than success, as an error.
pub fn done(status: u16) -> io::Result<()> {
    if status == 0 { Ok(()) } else { Err(io::Error::other(NvmeStatus(status))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_told_by_its_number_and_by_its_name_if_it_has_one() {
        assert_eq!(NvmeStatus(0x4002).to_string(), "NVMe status 0x002, Invalid Field in Command");
        assert_eq!(NvmeStatus(0x3FF).to_string(), "NVMe status 0x3ff");
    }

    #[test]
    fn a_handle_of_anything_else_is_no_namespace() {
        let file = tempfile::tempfile().expect("a file");
        assert!(namespace_id(&file).is_err());
        assert!(controller(&file).is_err());
        assert!(sanitize_log(&file).is_err());
    }
}

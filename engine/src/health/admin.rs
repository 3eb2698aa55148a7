//! Admin commands to an NVMe controller that only read: Identify, and Get Log Page.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `NVME_IOCTL_ADMIN_CMD` of `linux/nvme_ioctl.h`.
const ADMIN_COMMAND: libc::c_ulong = 0xC048_4E41;
const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY: u8 = 0x06;
/// Identify: the controller.
const OF_CONTROLLER: u32 = 1;
const ALL_NAMESPACES: u32 = 0xFFFF_FFFF;
/// A drive that recovers from an error may answer late.
const WAIT_MS_MAX: u32 = 5_000;

/// The size of what Identify returns.
pub const IDENTIFY_BYTES: usize = 4096;

// `struct nvme_passthru_cmd` of `linux/nvme_ioctl.h`.
#[derive(Debug, Default)]
#[repr(C)]
struct AdminCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    dwords_2_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    dwords_10_15: [u32; 6],
    timeout_ms: u32,
    result: u32,
}

/// Reads the first `N` bytes of a log page of the whole controller.
pub fn log_page<const N: usize>(controller: &File, page: u8) -> io::Result<[u8; N]> {
    let dwords = u32::try_from(N / 4 - 1).expect("a log page is small");
    read(controller, GET_LOG_PAGE, ALL_NAMESPACES, u32::from(page) | dwords << 16)
}

/// Reads what the controller reports about itself.
pub fn identify_controller(controller: &File) -> io::Result<[u8; IDENTIFY_BYTES]> {
    read(controller, IDENTIFY, 0, OF_CONTROLLER)
}

fn read<const N: usize>(controller: &File, opcode: u8, namespace: u32, dword_10: u32) -> io::Result<[u8; N]> {
    // Only these two opcodes reach the drive from here: neither changes anything.
    assert!(matches!(opcode, GET_LOG_PAGE | IDENTIFY), "a command that reads");
    let mut data = [0_u8; N];
    let mut command = AdminCommand {
        opcode,
        namespace,
        address: data.as_mut_ptr() as u64,
        data_bytes: u32::try_from(N).expect("a small buffer"),
        dwords_10_15: [dword_10, 0, 0, 0, 0, 0],
        timeout_ms: WAIT_MS_MAX,
        ..AdminCommand::default()
    };
    // SAFETY: the handle is open. The kernel reads and writes the 72 bytes of `command`, and writes at most N bytes to
    // `data`. Both outlive the call.
    let answer = unsafe { libc::ioctl(controller.as_raw_fd(), ADMIN_COMMAND, &raw mut command) };
    match answer {
        0 => Ok(data),
        status if status > 0 => Err(io::Error::other(format!("the drive refused the command with status {status:#x}"))),
        _ => Err(io::Error::last_os_error()),
    }
}

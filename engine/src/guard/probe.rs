//! Asks libblkid, the library behind `blkid`, `wipefs` and udev, what is on a device. It is loaded when it is needed,
//! because it is part of every Linux system but not of every machine that builds this engine.

use std::ffi::{CStr, c_char, c_int, c_longlong, c_void};
use std::fs::File;
use std::io;
use std::mem::transmute;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;

const LIBRARY: &CStr = c"libblkid.so.1";
const TYPE: c_int = 1 << 5;
const MAGIC: c_int = 1 << 9;
const BAD_CHECKSUM: c_int = 1 << 10;
const FORCE_GPT: c_int = 1 << 1;
const ENTRY_DETAILS: c_int = 1 << 2;
const PARTITION_MAGIC: c_int = 1 << 3;
/// The most signatures to report. One is enough to refuse.
const FOUND_MAX: usize = 8;

type Handle = *mut c_void;
type NewProbe = unsafe extern "C" fn() -> Handle;
type FreeProbe = unsafe extern "C" fn(Handle);
type SetDevice = unsafe extern "C" fn(Handle, c_int, c_longlong, c_longlong) -> c_int;
type SetNumber = unsafe extern "C" fn(Handle, c_int) -> c_int;
type DoProbe = unsafe extern "C" fn(Handle) -> c_int;
type LookupValue = unsafe extern "C" fn(Handle, *const c_char, *mut *const c_char, *mut usize) -> c_int;

/// The functions of the library that are used.
struct Library {
    new_probe: NewProbe,
    free_probe: FreeProbe,
    set_device: SetDevice,
    enable_superblocks: SetNumber,
    set_superblocks_flags: SetNumber,
    enable_partitions: SetNumber,
    set_partitions_flags: SetNumber,
    do_probe: DoProbe,
    lookup_value: LookupValue,
}

/// A probe of one open device.
struct Probe {
    library: &'static Library,
    handle: Handle,
}

/// What libblkid recognises on a device: types of file systems, RAID and volume members, and partition tables.
pub fn signatures(file: &File, start_bytes: u64, size_bytes: u64) -> io::Result<Vec<String>> {
    let probe = Probe::of(file, start_bytes, size_bytes)?;
    probe.ask(Some(TYPE | MAGIC | BAD_CHECKSUM), Some(FORCE_GPT | PARTITION_MAGIC))?;
    let mut found = Vec::new();
    while found.len() < FOUND_MAX && probe.next()? {
        if let Some(name) = probe.value(c"TYPE") {
            found.push(format!("a signature of {name}"));
        } else if let Some(name) = probe.value(c"PTTYPE") {
            found.push(format!("a partition table of type {name}"));
        }
    }
    Ok(found)
}

/// The UUID of a partition in the table of its disk; None if the table has none, or for a whole disk.
pub fn partition_uuid(file: &File) -> io::Result<Option<String>> {
    entry(file, c"PART_ENTRY_UUID")
}

/// The type of a partition in the table of its disk.
pub fn partition_type(file: &File) -> io::Result<Option<String>> {
    entry(file, c"PART_ENTRY_TYPE")
}

fn entry(file: &File, name: &CStr) -> io::Result<Option<String>> {
    let probe = Probe::of(file, 0, 0)?;
    probe.ask(None, Some(ENTRY_DETAILS))?;
    // Nothing recognised on the partition itself is no error: the entry is read from the disk.
    let _ = probe.next()?;
    Ok(probe.value(name))
}

impl Probe {
    // Size 0 stands for the whole device.
    fn of(file: &File, start_bytes: u64, size_bytes: u64) -> io::Result<Self> {
        let library = library()?;
        // SAFETY: the function takes no arguments, and its result is checked.
        let handle = unsafe { (library.new_probe)() };
        if handle.is_null() {
            return Err(io::Error::other("libblkid could not begin a probe"));
        }
        let probe = Self { library, handle };
        let (start, size) = (start_bytes.cast_signed(), size_bytes.cast_signed());
        // SAFETY: the probe is alive, and the caller keeps the file open for longer.
        let answer = unsafe { (library.set_device)(handle, file.as_raw_fd(), start, size) };
        checked(answer, "libblkid could not read the device")?;
        Ok(probe)
    }

    /// Selects what to look for; None is not looked for.
    fn ask(&self, superblocks: Option<c_int>, partitions: Option<c_int>) -> io::Result<()> {
        let refused = "libblkid refused a request";
        // SAFETY: the probe is alive, and the functions take no pointers but the probe.
        unsafe {
            checked((self.library.enable_superblocks)(self.handle, superblocks.is_some().into()), refused)?;
            checked((self.library.enable_partitions)(self.handle, partitions.is_some().into()), refused)?;
            if let Some(flags) = superblocks {
                checked((self.library.set_superblocks_flags)(self.handle, flags), refused)?;
            }
            if let Some(flags) = partitions {
                checked((self.library.set_partitions_flags)(self.handle, flags), refused)?;
            }
        }
        Ok(())
    }

    /// Whether there is one more thing, whose values can then be asked for.
    fn next(&self) -> io::Result<bool> {
        // SAFETY: the probe is alive.
        match unsafe { (self.library.do_probe)(self.handle) } {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(io::Error::other("libblkid could not read the device")),
        }
    }

    fn value(&self, name: &CStr) -> Option<String> {
        let (mut data, mut length) = (std::ptr::null(), 0usize);
        // SAFETY: the probe is alive, the name ends with 0, and both results outlive the call.
        let answer = unsafe { (self.library.lookup_value)(self.handle, name.as_ptr(), &raw mut data, &raw mut length) };
        if answer != 0 || data.is_null() {
            return None;
        }
        // SAFETY: the library returns text that ends with 0 and lives until the next call for this probe.
        let text = unsafe { CStr::from_ptr(data) };
        Some(text.to_string_lossy().into_owned())
    }
}

fn checked(answer: c_int, message: &str) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::other(message.to_owned())) }
}

impl Drop for Probe {
    fn drop(&mut self) {
        // SAFETY: the probe is alive until here and not used afterwards.
        unsafe { (self.library.free_probe)(self.handle) };
    }
}

fn library() -> io::Result<&'static Library> {
    static LOADED: OnceLock<Option<Library>> = OnceLock::new();
    LOADED
        .get_or_init(load)
        .as_ref()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "libblkid.so.1 is missing (it is part of util-linux)"))
}

fn load() -> Option<Library> {
    // SAFETY: the name ends with 0. Loading libblkid runs no code of ours, and it is never unloaded.
    let handle = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return None;
    }
    let found = |name: &CStr| {
        // SAFETY: the library is loaded, and the name ends with 0.
        let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    };
    // SAFETY: each address is that of the function with the signature of its field, which libblkid's interface has kept
    // since its first version. Function pointers and addresses have the same size on Linux.
    unsafe {
        Some(Library {
            new_probe: transmute::<Handle, NewProbe>(found(c"blkid_new_probe")?),
            free_probe: transmute::<Handle, FreeProbe>(found(c"blkid_free_probe")?),
            set_device: transmute::<Handle, SetDevice>(found(c"blkid_probe_set_device")?),
            enable_superblocks: transmute::<Handle, SetNumber>(found(c"blkid_probe_enable_superblocks")?),
            set_superblocks_flags: transmute::<Handle, SetNumber>(found(c"blkid_probe_set_superblocks_flags")?),
            enable_partitions: transmute::<Handle, SetNumber>(found(c"blkid_probe_enable_partitions")?),
            set_partitions_flags: transmute::<Handle, SetNumber>(found(c"blkid_probe_set_partitions_flags")?),
            do_probe: transmute::<Handle, DoProbe>(found(c"blkid_do_probe")?),
            lookup_value: transmute::<Handle, LookupValue>(found(c"blkid_probe_lookup_value")?),
        })
    }
}

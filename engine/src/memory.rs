//! Stretches of memory that come from the kernel and go back to it: those that I/O is done with, and those behind which
//! a file stands.

use std::fs::File;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, MsyncFlags, ProtFlags, madvise, mmap, mmap_anonymous, msync, munmap};

/// Memory pages.
pub const PAGE_BYTES: usize = 4096;
/// Large ones, where the processor has them.
const HUGE_BYTES: usize = 2 << 20;

/// A page-aligned stretch of memory, given back when dropped.
#[derive(Debug)]
pub struct Region {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the region owns its mapping, and nothing in it is tied to the thread that made it.
unsafe impl Send for Region {}
// SAFETY: a shared reference gives out no more than addresses; whoever reads or writes there answers for it.
unsafe impl Sync for Region {}

impl Region {
    /// Maps `length` zeroed bytes (at least one page).
    pub fn new(length: usize) -> std::io::Result<Self> {
        let length = length.next_multiple_of(PAGE_BYTES).max(PAGE_BYTES);
        // SAFETY: a new anonymous mapping at an address of the kernel's choice aliases nothing.
        let start = unsafe {
            mmap_anonymous(std::ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)?
        };
        if length >= HUGE_BYTES {
            // Buffers are used in no order, and small pages would fall out of the table of addresses all the time.
            // SAFETY: start and length are those of the mapping. Advice that is not taken changes nothing.
            let _ = unsafe { madvise(start, length, Advice::LinuxHugepage) };
        }
        let start = NonNull::new(start.cast()).ok_or_else(|| std::io::Error::other("mmap gave address 0"))?;
        Ok(Self { start, length })
    }

    /// Maps the first `length` bytes of a file, which must have as many. What is stored there is in the file at once for
    /// whoever reads it, however this process ends, and on its disk after [`Region::flush`].
    pub fn of_file(file: &File, length: usize) -> std::io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice aliases nothing.
        let start = unsafe { mmap(std::ptr::null_mut(), length, access, MapFlags::SHARED, file, 0)? };
        let start = NonNull::new(start.cast()).ok_or_else(|| std::io::Error::other("mmap gave address 0"))?;
        Ok(Self { start, length })
    }

    /// Brings what was stored to the file's disk.
    pub fn flush(&self) -> std::io::Result<()> {
        // SAFETY: start and length are those of the mapping.
        unsafe { msync(self.start.as_ptr().cast(), self.length, MsyncFlags::SYNC) }?;
        Ok(())
    }

    /// The first byte.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Bytes in all.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: start and length are those of the mapping, and the owner is going away. A failure leaks memory only.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}

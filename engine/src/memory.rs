//! Memory mappings: I/O buffers, and mapped files.

use std::fs::File;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, MsyncFlags, ProtFlags, madvise, mmap, mmap_anonymous, msync, munmap};

/// The page size.
pub const PAGE_BYTES: usize = 4096;
/// The size of huge pages, where the processor has them.
const HUGE_BYTES: usize = 2 << 20;

/// A page-aligned mapping, unmapped when dropped.
#[derive(Debug)]
pub struct Region {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the region owns its mapping, and nothing in it is bound to the thread that created it.
unsafe impl Send for Region {}
// SAFETY: a shared reference only returns addresses; code that reads or writes there ensures its own safety.
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
            // Buffers are accessed in random order, and small pages would cause constant TLB misses.
            // SAFETY: start and length are those of the mapping. Advice that the kernel ignores changes nothing.
            let _ = unsafe { madvise(start, length, Advice::LinuxHugepage) };
        }
        let start = NonNull::new(start.cast()).ok_or_else(|| std::io::Error::other("mmap returned address 0"))?;
        Ok(Self { start, length })
    }

    /// Maps the first `length` bytes of a file, which must have at least that size. Other readers of the file see
    /// stores immediately, even if this process crashes. Stores are durable after [`Region::flush`].
    pub fn of_file(file: &File, length: usize) -> std::io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice aliases nothing.
        let start = unsafe { mmap(std::ptr::null_mut(), length, access, MapFlags::SHARED, file, 0)? };
        let start = NonNull::new(start.cast()).ok_or_else(|| std::io::Error::other("mmap returned address 0"))?;
        Ok(Self { start, length })
    }

    /// Makes all stores durable.
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

    /// The length in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: start and length are those of the mapping, and its owner is being dropped. A failure only leaks
        // memory.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}

//! I/O buffers, and exclusive access to them.

use std::io;

use crate::memory::Region;

/// Buffers that are not attached to a ring yet, with exclusive access.
#[derive(Debug)]
pub struct Buffers(Region);

impl Buffers {
    /// Maps `length` zeroed bytes (at least one page).
    pub fn new(length: usize) -> io::Result<Self> {
        Region::new(length).map(Self)
    }

    /// All bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the kernel has initialised the mapping, this value owns it, and this borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.0.start(), self.0.length()) }
    }

    /// The length in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.length()
    }
}

/// Buffers attached to a ring. The kernel may access them while operations are in flight, so there are no references
/// into them: bytes are copied in and out.
#[derive(Debug, Default)]
pub struct SharedBuffers(Option<Region>);

impl From<Buffers> for SharedBuffers {
    fn from(buffers: Buffers) -> Self {
        Self(Some(buffers.0))
    }
}

impl SharedBuffers {
    /// No buffers, for rings whose operations move no data.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// The length in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.as_ref().map_or(0, Region::length)
    }

    /// Copies bytes in. The range must not belong to an operation in flight, which would transfer a mixture of old and
    /// new data.
    #[inline]
    pub fn write(&mut self, at: usize, bytes: &[u8]) {
        let start = self.address(at, bytes.len());
        // SAFETY: the range is within the mapping, and no references into it exist.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
    }

    /// Copies bytes out.
    #[inline]
    pub fn read(&self, at: usize, into: &mut [u8]) {
        let start = self.address(at, into.len());
        // SAFETY: the range is within the mapping, and no references into it exist.
        unsafe { std::ptr::copy_nonoverlapping(start, into.as_mut_ptr(), into.len()) };
    }

    /// The address of a range. Panics if it exceeds the buffers.
    #[inline]
    pub(super) fn address(&self, at: usize, length: usize) -> *mut u8 {
        let end = at.checked_add(length);
        let region = self.0.as_ref().filter(|region| end.is_some_and(|end| end <= region.length()));
        let region = region.expect("a range within the ring's buffers");
        // SAFETY: the range is within the mapping, and so is its first byte.
        unsafe { region.start().add(at) }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_range_beyond_the_buffers_panics() {
        let mut shared = SharedBuffers::from(Buffers::new(8192).expect("two pages"));
        shared.write(8190, &[1, 2]);
        let mut back = [0; 2];
        shared.read(8190, &mut back);
        assert_eq!(back, [1, 2]);
        for (at, length) in [(8191, 2), (8193, 0), (usize::MAX, 2), (0, 8193)] {
            let beyond = catch_unwind(AssertUnwindSafe(|| shared.address(at, length)));
            assert!(beyond.is_err(), "{length} bytes at {at}");
        }
    }

    #[test]
    fn without_buffers_every_range_panics() {
        let none = SharedBuffers::none();
        assert_eq!(none.length(), 0);
        assert!(catch_unwind(AssertUnwindSafe(|| none.address(0, 1))).is_err());
    }
}

//! Memory prefetch.

/// Prefetches an element of a slice into the CPU cache. Does nothing if the machine lacks such an instruction or the
/// index is out of range.
#[inline]
pub fn prefetch<T>(slice: &[T], index: usize) {
    let Some(place) = slice.get(index) else { return };
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of every x86-64 machine, and a prefetch has no visible effect.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

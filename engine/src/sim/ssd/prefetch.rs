//! Asking for memory before it is needed.

/// Asks for a place of a slice to be brought near. Where the machine knows no such thing, or there is no such place,
/// nothing happens.
#[inline]
pub fn prefetch<T>(slice: &[T], index: usize) {
    let Some(place) = slice.get(index) else { return };
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of every x86-64 machine, and a prefetch reads nothing that a program could see.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

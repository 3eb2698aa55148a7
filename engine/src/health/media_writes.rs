//! Bytes written to the media, from the extended SMART log that the Open Compute Project defines (log page C0h).
//!
//! The page is requested only if the drive lists it. A drive would enter a request for a page that it does not have
//! into its error log, where the owner's monitoring would see it.

use std::fs::File;

use super::smart_log::counter;
use crate::nvme::log_page;

const LIST_PAGE: u8 = 0x00;
const LIST_BYTES: usize = 1024;
const PAGE: u8 = 0xC0;
const BYTES: usize = 512;
/// The identifier of this format in the last 16 bytes (OCP NVMe SSD specification, SMART-16).
const FORMAT: [u8; 16] =
    [0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4, 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF];

/// Whether the controller lists the page.
pub fn is_listed(controller: &File) -> bool {
    log_page::<LIST_BYTES>(controller, LIST_PAGE).is_ok_and(|list| list[usize::from(PAGE) * 4] & 1 == 1)
}

/// The bytes that the drive has written to its media; None if it does not report them.
pub fn media_written_bytes(controller: &File) -> Option<u64> {
    written(&log_page::<BYTES>(controller, PAGE).ok()?)
}

// Vendors use the same page number for formats of their own.
fn written(log: &[u8; BYTES]) -> Option<u64> {
    (log[BYTES - FORMAT.len()..] == FORMAT).then(|| counter(log, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_is_only_read_from_the_format_that_has_it() {
        let mut log = [0; BYTES];
        log[0] = 42;
        assert_eq!(written(&log), None);
        log[496..].copy_from_slice(&FORMAT);
        assert_eq!(written(&log), Some(42));
    }
}

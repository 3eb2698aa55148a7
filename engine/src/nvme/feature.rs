//! The feature Volatile Write Cache of a controller (Get Features and Set Features, 06h).

use std::fs::File;
use std::io;

use super::admin::{READ_MS_MAX, done, identify_controller};
use super::ioctl::{Passthrough, submit_for_result};

const SET_FEATURES: u8 = 0x09;
const GET_FEATURES: u8 = 0x0A;
/// The current value is asked for (SEL 0), and a new one is not saved over a reset (SV 0).
const VOLATILE_WRITE_CACHE: u32 = 0x06;
const WRITE_CACHE_ENABLE: u32 = 1;
/// VWC in Identify Controller: bit 0 says that there is a volatile write cache.
const VWC: usize = 525;
/// A drive writes the whole cache to its media before the command ends.
const SET_MS_MAX: u32 = 120_000;

/// Whether the controller of a namespace's handle has a volatile write cache.
pub fn has_volatile_cache(file: &File) -> io::Result<bool> {
    Ok(identify_controller(file)?[VWC] & 1 != 0)
}

/// Whether it is on.
pub fn write_cache(file: &File) -> io::Result<bool> {
    let command = Passthrough {
        opcode: GET_FEATURES,
        word10: VOLATILE_WRITE_CACHE,
        timeout_ms: READ_MS_MAX,
        ..Passthrough::default()
    };
    let (status, result) = submit_for_result(file, command)?;
    done(status)?;
    Ok(result & WRITE_CACHE_ENABLE != 0)
}

/// Turns it on or off, up to the next reset of the controller.
pub fn set_write_cache(file: &File, is_on: bool) -> io::Result<()> {
    let command = Passthrough {
        opcode: SET_FEATURES,
        word10: VOLATILE_WRITE_CACHE,
        word11: if is_on { WRITE_CACHE_ENABLE } else { 0 },
        timeout_ms: SET_MS_MAX,
        ..Passthrough::default()
    };
    done(submit_for_result(file, command)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_of_anything_else_has_no_such_feature() {
        let file = tempfile::tempfile().expect("a file");
        assert!(has_volatile_cache(&file).is_err());
        assert!(write_cache(&file).is_err());
        assert!(set_write_cache(&file, true).is_err());
    }
}

//! What an NVMe controller reports about itself (base specification, Identify Controller).

use super::smart_log::celsius;
use crate::nvme::IDENTIFY_BYTES;

/// The properties of a controller that its health refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthSupport {
    /// Whether it has a list of its log pages.
    pub lists_log_pages: bool,
    /// It warns from this temperature on.
    pub warning_celsius: Option<i16>,
    /// It must not be used from this temperature on.
    pub critical_celsius: Option<i16>,
}

/// Bit 5 of the log page attributes: the controller supports the page that lists its pages.
const LISTS_PAGES: u8 = 1 << 5;

impl HealthSupport {
    /// Reads the properties.
    pub fn of(data: &[u8; IDENTIFY_BYTES]) -> Self {
        let kelvins = |at: usize| u16::from_le_bytes([data[at], data[at + 1]]);
        Self {
            lists_log_pages: data[261] & LISTS_PAGES != 0,
            warning_celsius: celsius(kelvins(266)),
            critical_celsius: celsius(kelvins(268)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_and_attributes_are_read_from_their_places() {
        let mut data = [0; IDENTIFY_BYTES];
        assert_eq!(
            HealthSupport::of(&data),
            HealthSupport { lists_log_pages: false, warning_celsius: None, critical_celsius: None }
        );
        (data[261], data[266], data[267], data[268], data[269]) = (0x20, 0x57, 0x01, 0x61, 0x01);
        assert_eq!(
            HealthSupport::of(&data),
            HealthSupport { lists_log_pages: true, warning_celsius: Some(70), critical_celsius: Some(80) }
        );
    }
}

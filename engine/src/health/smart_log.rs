//! The SMART / Health log of NVMe (base specification, log page 02h).

use super::{DriveHealth, HealthSource, Warning};

/// The number of the log page.
pub const PAGE: u8 = 0x02;
/// Its size.
pub const BYTES: usize = 512;

/// A data unit: one thousand blocks of 512 bytes.
const UNIT_BYTES: u64 = 512_000;
const SECOND_NS: u64 = 1_000_000_000;
const MINUTE_NS: u64 = 60 * SECOND_NS;
const HOUR_NS: u64 = 60 * MINUTE_NS;
const KELVIN_AT_0_CELSIUS: u16 = 273;
/// The bits of byte 0.
const WARNINGS: [Warning; 6] = [
    Warning::Spare,
    Warning::Temperature,
    Warning::Reliability,
    Warning::ReadOnly,
    Warning::Backup,
    Warning::PersistentMemory,
];

/// The health that the log reports.
pub fn health(log: &[u8; BYTES]) -> DriveHealth {
    let short = |at: usize| u64::from(u32::from_le_bytes([log[at], log[at + 1], log[at + 2], log[at + 3]]));
    let wide = |at: usize| counter(log, at);
    DriveHealth {
        source: HealthSource::SmartLog,
        warnings: WARNINGS
            .into_iter()
            .enumerate()
            .filter(|(bit, _)| log[0] >> bit & 1 == 1)
            .map(|(_, it)| it)
            .collect(),
        temperature_celsius: celsius(u16::from_le_bytes([log[1], log[2]])),
        spare_percent: Some(log[3]),
        spare_percent_min: Some(log[4]),
        wear_percent: Some(log[5]),
        host_read_bytes: Some(wide(32).saturating_mul(UNIT_BYTES)),
        host_written_bytes: Some(wide(48).saturating_mul(UNIT_BYTES)),
        power_cycles: Some(wide(112)),
        powered_ns: Some(wide(128).saturating_mul(HOUR_NS)),
        unsafe_shutdowns: Some(wide(144)),
        media_errors: Some(wide(160)),
        error_log_entries: Some(wide(176)),
        hot_ns: Some((short(192) + short(196)).saturating_mul(MINUTE_NS)),
        throttle_count: Some(short(216) + short(220)),
        throttled_ns: Some((short(224) + short(228)).saturating_mul(SECOND_NS)),
        ..DriveHealth::default()
    }
}

/// A temperature in kelvins as degrees Celsius; None for 0, which means that it is not reported.
pub fn celsius(kelvins: u16) -> Option<i16> {
    (kelvins > 0).then(|| i16::try_from(i32::from(kelvins) - i32::from(KELVIN_AT_0_CELSIUS)).unwrap_or(i16::MAX))
}

/// A counter of 16 bytes. No drive reaches values beyond 64 bits.
pub fn counter(log: &[u8], at: usize) -> u64 {
    let bytes = log[at..at + 16].try_into().expect("16 bytes");
    u64::try_from(u128::from_le_bytes(bytes)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(fields: &[(usize, &[u8])]) -> [u8; BYTES] {
        let mut log = [0; BYTES];
        for (at, bytes) in fields {
            log[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        log
    }

    #[test]
    fn each_field_of_the_log_is_read_as_what_it_is() {
        let found = health(&log(&[
            (1, &[0x43, 0x01]),
            (3, &[100, 10, 3]),
            (32, &[2]),
            (48, &[0, 1]),
            (112, &[7]),
            (128, &[5]),
            (144, &[4]),
            (160, &[3]),
            (176, &[9]),
            (192, &[1, 0, 0, 0, 2]),
            (216, &[1, 0, 0, 0, 1, 0, 0, 0, 20, 0, 0, 0, 10]),
        ]));
        let expected = DriveHealth {
            source: HealthSource::SmartLog,
            temperature_celsius: Some(50),
            spare_percent: Some(100),
            spare_percent_min: Some(10),
            wear_percent: Some(3),
            host_read_bytes: Some(1_024_000),
            host_written_bytes: Some(131_072_000),
            power_cycles: Some(7),
            powered_ns: Some(5 * HOUR_NS),
            unsafe_shutdowns: Some(4),
            media_errors: Some(3),
            error_log_entries: Some(9),
            hot_ns: Some(3 * MINUTE_NS),
            throttle_count: Some(2),
            throttled_ns: Some(30 * SECOND_NS),
            ..DriveHealth::default()
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn each_bit_of_the_critical_warning_is_a_warning_of_its_own() {
        for (bit, warning) in WARNINGS.into_iter().enumerate() {
            assert_eq!(health(&log(&[(0, &[1 << bit])])).warnings, vec![warning]);
        }
        assert_eq!(health(&log(&[(0, &[0x3F])])).warnings, WARNINGS);
    }

    #[test]
    fn a_temperature_of_0_kelvins_is_unknown_and_others_are_in_celsius() {
        assert_eq!([0, 273, 263, 323].map(celsius), [None, Some(0), Some(-10), Some(50)]);
    }

    #[test]
    fn a_counter_beyond_64_bits_saturates() {
        let found = health(&log(&[(32, &[0xFF; 16])]));
        assert_eq!(found.host_read_bytes, Some(u64::MAX));
    }
}

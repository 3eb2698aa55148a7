//! Division by a constant through multiplication, which is several times as fast as a division instruction.

/// A divisor. D. Lemire, O. Kaser and N. Kurz, "Faster remainder by direct computation", 2019: with the reciprocal
/// rounded up to 64 bits, the quotient of every 32-bit number is exact.
#[derive(Clone, Copy, Debug)]
pub struct Divisor {
    // 0 for a division by one, whose reciprocal needs 65 bits.
    reciprocal: u64,
}

impl Divisor {
    /// A divisor above 0.
    pub fn new(by: u32) -> Self {
        Self { reciprocal: (u64::MAX / u64::from(by)).wrapping_add(1) }
    }

    /// The quotient, rounded down.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // A quotient is not above the number.
    pub fn quotient(self, number: u32) -> u32 {
        if self.reciprocal == 0 {
            return number;
        }
        ((u128::from(self.reciprocal) * u128::from(number)) >> 64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::Divisor;

    #[test]
    fn quotients_are_exact() {
        for by in [1, 2, 3, 4, 7, 16, 68, 96, 128, 1000, 4608, 65_535, 65_537, u32::MAX - 1, u32::MAX] {
            let around = (0..1000_u32).map(|step| by.wrapping_mul(step));
            let near = around.flat_map(|number| [number.wrapping_sub(1), number, number.wrapping_add(1)]);
            for number in near.chain([0, 1, u32::MAX - 1, u32::MAX]) {
                assert_eq!(Divisor::new(by).quotient(number), number / by, "{number} / {by}");
            }
        }
    }
}

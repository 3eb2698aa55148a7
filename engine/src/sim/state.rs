//! A hash of a drive's state.

use crate::random::Random;

/// FNV-1a over 64-bit words with a final mix, to distinguish states; not cryptographic.
#[derive(Clone, Copy, Debug)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl StateHash {
    /// Adds a word.
    #[inline]
    pub fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    }

    /// Adds several words.
    pub fn add_all<const N: usize>(&mut self, words: [u64; N]) {
        for word in words {
            self.add(word);
        }
    }

    /// Adds the state of a random stream.
    pub fn add_random(&mut self, random: &Random) {
        for word in random.ahead() {
            self.add(word);
        }
    }

    /// The hash of all words so far.
    #[must_use]
    pub fn value(&self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 33)
    }
}

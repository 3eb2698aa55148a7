//! Exact shares: kinds are drawn without replacement, like cards from a shuffled deck. The number of cards of each kind
//! is its share. An empty deck is refilled and shuffled.

use crate::random::Random;

/// A shuffled deck of at most `KINDS` kinds. The order is not stored: each draw takes one of the remaining cards with
/// equal probability, which gives every order of the deck the same chance.
#[derive(Clone, Debug)]
pub struct ShuffledDeck<const KINDS: usize> {
    whole: [u32; KINDS],
    left: [u32; KINDS],
    cards: u64,
    cards_left: u64,
    random: Random,
}

impl<const KINDS: usize> ShuffledDeck<KINDS> {
    /// A deck with the given number of cards of each kind; the sum must be at least one.
    #[must_use]
    pub fn new(whole: [u32; KINDS], seed: u64) -> Self {
        let cards = whole.iter().map(|count| u64::from(*count)).sum();
        assert!(cards > 0, "a deck without cards");
        Self { whole, left: whole, cards, cards_left: cards, random: Random::new(seed) }
    }

    /// Draws the next card and returns its kind.
    #[inline]
    pub fn draw(&mut self) -> usize {
        if self.cards_left == 0 {
            self.left = self.whole;
            self.cards_left = self.cards;
        }
        let mut card = self.random.below(self.cards_left);
        self.cards_left -= 1;
        for (kind, left) in self.left.iter_mut().enumerate() {
            let count = u64::from(*left);
            if card < count {
                *left -= 1;
                return kind;
            }
            card -= count;
        }
        unreachable!("the kinds hold as many cards as there are")
    }
}

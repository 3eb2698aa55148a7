//! Exact shares by a shuffled deck.

use iosonde_engine::pattern::ShuffledDeck;

fn draws(whole: [u32; 4], seed: u64, count: usize) -> Vec<usize> {
    let mut deck = ShuffledDeck::new(whole, seed);
    (0..count).map(|_| deck.draw()).collect()
}

#[test]
fn each_deck_has_the_exact_share_of_every_kind() {
    for deck in draws([67, 0, 30, 3], 1, 10_000).chunks(100) {
        let counts = [0, 1, 2, 3].map(|kind| deck.iter().filter(|card| **card == kind).count());
        assert_eq!(counts, [67, 0, 30, 3]);
    }
}

#[test]
fn a_deck_is_shuffled_by_its_seed_and_again_each_time() {
    let cards = draws([50, 50, 0, 0], 1, 200);
    assert_eq!(cards, draws([50, 50, 0, 0], 1, 200));
    assert_ne!(cards, draws([50, 50, 0, 0], 2, 200));
    assert_ne!(cards[..100], cards[100..]);
}

#[test]
fn every_order_of_a_deck_is_equally_likely() {
    let mut orders = [0_u32; 6];
    for deck in draws([1, 1, 1, 0], 3, 60_000 * 3).chunks(3) {
        orders[match deck {
            [0, 1, 2] => 0,
            [0, 2, 1] => 1,
            [1, 0, 2] => 2,
            [1, 2, 0] => 3,
            [2, 0, 1] => 4,
            _ => 5,
        }] += 1;
    }
    // 10,000 each are expected, with a standard deviation of 91.
    assert!(orders.iter().all(|count| count.abs_diff(10_000) < 550), "{orders:?}");
}

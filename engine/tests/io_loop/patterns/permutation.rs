//! Permutations.

use iosonde_engine::pattern::Permutation;

fn order(bound: u64, seed: u64) -> Vec<u64> {
    let permutation = Permutation::new(bound, seed);
    (0..bound).map(|place| permutation.at(place)).collect()
}

#[test]
fn every_number_below_the_bound_occurs_exactly_once() {
    for bound in (1..300).chain([1009, 1024, 4096, 4097, 65_535, 65_536, 65_537, 99_991, 1_000_003]) {
        for seed in 0..3 {
            let mut sorted = order(bound, seed);
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..bound), "{bound}, seed {seed}");
        }
    }
}

#[test]
fn a_bound_beyond_any_drive_is_permuted_as_well() {
    let permutation = Permutation::new(1 << 62, 1);
    assert!((0..1000).all(|place| permutation.at(place << 50) < 1 << 62));
}

#[test]
fn each_seed_has_its_own_order() {
    let (one, other) = (order(10_007, 1), order(10_007, 2));
    let same = one.iter().zip(&other).filter(|(one, other)| one == other).count();
    // One fixed point is expected.
    assert!(same < 9, "{same} places hold the same");
}

#[test]
fn each_number_is_equally_likely_at_each_position_even_for_small_bounds() {
    let mut counts = [[0_u32; 5]; 5];
    for seed in 0..10_000 {
        for (place, number) in order(5, seed).into_iter().enumerate() {
            counts[place][usize::try_from(number).expect("below 5")] += 1;
        }
    }
    // 2,000 each are expected, with a standard deviation of 40.
    assert!(counts.iter().flatten().all(|count| count.abs_diff(2_000) < 240), "{counts:?}");
}

#[test]
#[allow(clippy::float_arithmetic, clippy::cast_precision_loss)] // Statistics.
fn neighbours_in_the_order_are_uncorrelated() {
    for bound in [10_007_u64, 65_536, 1_000_003] {
        for seed in 0..3 {
            let order = order(bound, seed);
            let n = bound as f64;
            let mean = (n - 1.0) / 2.0;
            let variance = (n * n - 1.0) / 12.0;
            for lag in [1, 2, 3, 256, 1000, 1001] {
                let products = order.iter().zip(&order[lag..]).map(|(a, b)| (*a as f64 - mean) * (*b as f64 - mean));
                let correlation = products.sum::<f64>() / (n - lag as f64) / variance;
                assert!(correlation.abs() < 5.0 / n.sqrt(), "{bound}, seed {seed}, lag {lag}: {correlation}");
            }
        }
    }
}

#[test]
#[allow(clippy::float_arithmetic, clippy::cast_precision_loss)] // Statistics.
fn the_order_has_as_many_turning_points_as_a_random_one() {
    for (bound, seed) in [(10_007_u64, 1), (65_536, 2), (1_000_003, 3)] {
        let order = order(bound, seed);
        let is_turn = |three: &&[u64]| (three[1] > three[0]) != (three[2] > three[1]);
        let turns = order.windows(3).filter(is_turn).count() as f64;
        // The turning points of a random order: two thirds of n - 2, with this variance (Bienaymé, 1874).
        let n = bound as f64;
        let deviation = (turns - 2.0 * (n - 2.0) / 3.0) / ((16.0 * n - 29.0) / 90.0).sqrt();
        assert!(deviation.abs() < 5.0, "{bound}: {deviation} standard deviations");
    }
}

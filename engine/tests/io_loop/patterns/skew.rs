//! Skewed distributions of ranks, compared with their closed forms.
#![allow(clippy::float_arithmetic, clippy::cast_precision_loss)] // Statistics.

use iosonde_engine::job::Zone;
use iosonde_engine::pattern::{Pareto, Zipf, Zones};
use iosonde_engine::random::Random;

const DRAWS: u32 = 400_000;

fn counts(ranks: usize, mut draw: impl FnMut(&mut Random) -> u64) -> Vec<u32> {
    let mut random = Random::new(11);
    let mut counts = vec![0; ranks];
    for _ in 0..DRAWS {
        counts[usize::try_from(draw(&mut random)).expect("a rank")] += 1;
    }
    counts
}

// Whether a count is within five standard deviations of a binomial distribution.
fn fits(count: u32, probability: f64) -> bool {
    let expected = f64::from(DRAWS) * probability;
    (f64::from(count) - expected).abs() < 5.0 * (expected * (1.0 - probability)).sqrt() + 3.0
}

#[test]
fn zipf_ranks_follow_a_power_law() {
    for exponent_permille in [1, 500, 990, 1000, 1001, 1200, 2500] {
        for ranks in [1_usize, 2, 10, 1000] {
            let zipf = Zipf::new(ranks as u64, exponent_permille);
            let counts = counts(ranks, |random| zipf.draw(random));
            let weight = |rank: usize| ((rank + 1) as f64).powf(-f64::from(exponent_permille) / 1000.0);
            let whole: f64 = (0..ranks).map(weight).sum();
            for (rank, count) in counts.iter().enumerate() {
                let probability = weight(rank) / whole;
                assert!(fits(*count, probability), "exponent {exponent_permille}, rank {rank} of {ranks}: {count}");
            }
        }
    }
}

#[test]
fn zipf_needs_no_table_for_the_blocks_of_the_largest_drives() {
    let zipf = Zipf::new(1 << 40, 1_200);
    let mut random = Random::new(1);
    let first = (0..100_000).filter(|_| zipf.draw(&mut random) == 0).count() as f64;
    // The sum of all weights is Riemann's zeta of 1.2, 5.5916, less 5 * 2^-8 for the ranks that do not exist.
    let expected = 100_000.0 / (5.5916 - 5.0 / 256.0);
    assert!((first - expected).abs() < 5.0 * expected.sqrt(), "{first} of {expected}");
}

#[test]
fn pareto_is_self_similar_at_every_scale() {
    for (share_permille, first, within) in [(200, 200, 40), (100, 100, 10)] {
        let pareto = Pareto::new(1000, share_permille);
        let counts = counts(1000, |random| pareto.draw(random));
        let rest = 1.0 - f64::from(share_permille) / 1000.0;
        assert!(fits(counts[..first].iter().sum(), rest), "{share_permille}");
        assert!(fits(counts[..within].iter().sum(), rest * rest), "{share_permille}");
    }
}

#[test]
fn zones_have_their_shares_of_the_draws_evenly_distributed() {
    // The access pattern of the SNIA's composite workload.
    let zones = [(500, 50), (300, 150), (200, 800)];
    let zones = zones.map(|(accesses_permille, space_permille)| Zone { accesses_permille, space_permille });
    let drawn = Zones::new(1000, &zones);
    let counts = counts(1000, |random| drawn.draw(random));
    for (range, share) in [(0..50, 0.5), (50..200, 0.3), (200..1000, 0.2)] {
        assert!(fits(counts[range.clone()].iter().sum(), share), "{range:?}");
        let each = share / range.len() as f64;
        assert!(counts[range.clone()].iter().all(|count| fits(*count, each)), "{range:?}");
    }
}

#[test]
fn zones_stay_within_the_ranks_however_few_there_are() {
    let zones = [(900, 1), (50, 1), (50, 998)];
    let zones = zones.map(|(accesses_permille, space_permille)| Zone { accesses_permille, space_permille });
    let mut random = Random::new(1);
    for ranks in [1, 2, 3, 7] {
        let drawn = Zones::new(ranks, &zones);
        assert!((0..10_000).all(|_| drawn.draw(&mut random) < ranks), "{ranks}");
    }
}

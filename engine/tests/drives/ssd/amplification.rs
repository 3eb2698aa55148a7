//! Write amplification compared with theory.

use iosonde_engine::random::Random;
use iosonde_engine::ring::Operation;
use iosonde_engine::sim::ssd::PAGE_BYTES;
use iosonde_engine::sim::{CompletionModel, IoCommand, Ssd};

use super::rig::{DriveRig, small};

/// The write amplification of greedy garbage collection with large blocks under uniform random writes: 1 / (1 - X),
/// where X, the share of valid pages in a victim, solves X = exp(-a (1 - X)) with a = physical / logical space (X =
/// -W(-a exp(-a)) / a by Lambert's W). L. Xiang and B. M. Kurkoski, "An Improved Analytic Expression for Write
/// Amplification in NAND Flash", ICNC 2012 (arXiv:1110.4245); the same limit as in P. Desnoyers, "Analytic Modeling of
/// SSD Write Performance", SYSTOR 2012.
fn amplification_of_theory(over_provisioning: f64) -> f64 {
    let ratio = 1.0 + over_provisioning;
    let mut valid = 0.5;
    for _ in 0..10_000 {
        valid = libm::exp(-ratio * (1.0 - valid));
    }
    1.0 / (1.0 - valid)
}

#[test]
fn the_formula_yields_the_value_of_its_paper() {
    assert!((amplification_of_theory(0.3) - 2.36).abs() < 0.01);
}

#[test]
fn the_amplification_of_random_writes_matches_theory() {
    for permille in [70, 150, 280, 500] {
        let mut model = small();
        model.media.over_provisioning_permille = permille;
        let mut rig = DriveRig::filled(&model);
        rig.overwrite(3);
        let seen = rig.amplification(|rig| rig.overwrite(1));
        let expected = amplification_of_theory(f64::from(permille) / 1000.0);
        println!("{permille} of 1000: {seen:.3}, by theory {expected:.3}");
        assert!((seen / expected - 1.0).abs() < 0.15, "{permille} of 1000: {seen} instead of {expected}");
    }
}

#[test]
fn sequential_writes_are_hardly_amplified() {
    let mut rig = DriveRig::filled(&small());
    let seen = rig.amplification(|rig| {
        rig.fill();
        rig.fill();
    });
    assert!(seen < 1.1, "{seen}");
}

/// Write amplification of random writes to the first half of a drive, over the second half of the writes.
fn amplification_of_first_half(ssd: &mut Ssd, now_ns: &mut u64) -> f64 {
    let pages = ssd.size_bytes() / PAGE_BYTES / 2;
    let mut random = Random::new(3);
    let mut media_bytes = 0;
    for number in 0..4 * pages {
        if number == 2 * pages {
            media_bytes = ssd.health().media_written_bytes;
        }
        let offset_bytes = random.below(pages) * PAGE_BYTES;
        *now_ns =
            ssd.complete(*now_ns, &IoCommand { operation: Operation::Write, offset_bytes, length_bytes: 4096 }).done_ns;
    }
    (ssd.health().media_written_bytes - media_bytes) as f64 / (2 * pages * PAGE_BYTES) as f64
}

#[test]
fn trimmed_space_acts_as_over_provisioning() {
    let seen = [false, true].map(|is_trimmed| {
        let mut ssd = Ssd::new(&small(), 1);
        let mut now_ns = 0;
        for offset_bytes in (0..ssd.size_bytes()).step_by(131_072) {
            let io = IoCommand { operation: Operation::Write, offset_bytes, length_bytes: 131_072 };
            now_ns = ssd.complete(now_ns, &io).done_ns;
        }
        if is_trimmed {
            let half = ssd.size_bytes() / 2;
            now_ns = ssd.trim(now_ns, half, half);
        }
        amplification_of_first_half(&mut ssd, &mut now_ns)
    });
    // Half the logical capacity in all of the physical space.
    let expected = amplification_of_theory(2.0 * 1.15 - 1.0);
    assert!((seen[1] / expected - 1.0).abs() < 0.15 && seen[0] > 1.5, "{seen:?}, by theory {expected} with trim");
}

//! Writes that bring an empty drive to random-write steady state.
#![allow(clippy::float_arithmetic, clippy::cast_precision_loss)] // Statistics, and the model in closed form.

use std::collections::HashSet;

use iosonde_engine::job::{Engine, Job, Pattern};
use iosonde_engine::pattern::{Accesses, FastRandom, REGIONS, Shared, flash_blocks, write_amplification};

use crate::common::job;

const BLOCKS: u64 = 100_000;

fn writes(blocks: u64, permille: u32, seed: u64) -> Vec<u64> {
    let mut order = FastRandom::new(blocks, permille, seed);
    (0..flash_blocks(blocks, permille)).map(|number| order.at(number)).collect()
}

// For each write, whether its block was never written before.
fn is_new(writes: &[u64]) -> Vec<bool> {
    let mut written = HashSet::new();
    writes.iter().map(|block| written.insert(*block)).collect()
}

// For each write, whether no later one overwrites its block.
fn is_last(writes: &[u64]) -> Vec<bool> {
    let mut last = is_new(&writes.iter().rev().copied().collect::<Vec<_>>());
    last.reverse();
    last
}

#[test]
fn every_block_is_written_at_least_once_and_all_flash_is_written() {
    for permille in [10, 70, 145, 280, 1000, 4000] {
        for blocks in [1, 2, 3, 100, 127, 128, 129, 1000, 4097, BLOCKS] {
            let drawn = writes(blocks, permille, 3);
            assert_eq!(drawn.len() as u64, blocks + (blocks * u64::from(permille)).div_ceil(1000));
            assert!(drawn.iter().all(|block| *block < blocks));
            assert_eq!(is_new(&drawn).iter().filter(|new| **new).count() as u64, blocks, "{blocks}, {permille}");
        }
    }
}

#[test]
fn new_blocks_are_written_region_by_region_with_the_modelled_number_of_overwrites() {
    for permille in [70, 145, 280] {
        let amplification = write_amplification(permille);
        let new = is_new(&writes(BLOCKS, permille, 1));
        let mut starts = vec![0_usize];
        let mut written = 0;
        for (number, _) in new.iter().enumerate().filter(|(_, new)| **new) {
            written += 1;
            if written * REGIONS as u64 % BLOCKS < REGIONS as u64 {
                starts.push(number + 1);
            }
        }
        assert_eq!(starts.len(), REGIONS + 1);
        for (region, pair) in starts.windows(2).enumerate() {
            // The writes until a share of the blocks is written, in units of all blocks.
            let until = |regions: usize| -amplification * (1.0 - regions as f64 / REGIONS as f64 / amplification).ln();
            let modelled = (until(region + 1) - until(region)) * BLOCKS as f64 - BLOCKS as f64 / REGIONS as f64;
            let overwrites = (pair[0]..pair[1]).filter(|number| !new[*number]).count() as f64;
            // The first and the last overwrite of a region may fall on the other side of its border.
            assert!((overwrites - modelled).abs() < 6.0, "region {region}: {overwrites}, not {modelled}");
        }
    }
}

#[test]
fn the_valid_share_by_age_is_that_of_steady_state() {
    for permille in [70, 145, 280, 1000] {
        let last = is_last(&writes(BLOCKS, permille, 7));
        let amplification = write_amplification(permille);
        let stretch = last.len() / 20;
        for (place, part) in last.chunks_exact(stretch).enumerate() {
            let valid = part.iter().filter(|last| **last).count() as f64;
            let age = (last.len() - place * stretch) as f64 - stretch as f64 / 2.0;
            let modelled = (-age / amplification / BLOCKS as f64).exp() * stretch as f64;
            // Five standard deviations of a binomial count, and what a stretch changes within itself.
            assert!((valid - modelled).abs() < 5.0 * modelled.sqrt(), "{permille}, part {place}: {valid}, {modelled}");
        }
    }
}

#[test]
fn the_write_amplification_fills_all_flash_with_the_valid_pages_of_the_host() {
    for (permille, expected) in [(70, 7.82), (145, 4.13), (280, 2.48)] {
        let amplification = write_amplification(permille);
        let flash = 1.0 + f64::from(permille) / 1000.0;
        let valid = amplification * (1.0 - (-flash / amplification).exp());
        assert!((valid - 1.0).abs() < 1e-9, "{permille}: {valid}");
        assert!((amplification - expected).abs() < 0.01, "{permille}: {amplification}");
    }
}

#[test]
fn writes_after_all_flash_is_written_are_random() {
    let mut order = FastRandom::new(1000, 145, 1);
    let first = flash_blocks(1000, 145);
    let mut counts = vec![0_u32; 1000];
    for number in first..first + 100_000 {
        counts[usize::try_from(order.at(number)).expect("below 1000")] += 1;
    }
    // 100 each are expected, with a standard deviation of 10.
    assert!(counts.iter().all(|count| count.abs_diff(100) < 55), "{counts:?}");
}

#[test]
fn a_seed_determines_the_order() {
    assert_eq!(writes(5000, 145, 1), writes(5000, 145, 1));
    assert_ne!(writes(5000, 145, 1), writes(5000, 145, 2));
}

#[test]
fn all_workers_on_a_target_share_the_writes_and_each_target_has_its_own() {
    for engine in [Engine::Null, Engine::Psync] {
        let pattern = Pattern::FastRandom { over_provisioning_permille: 145 };
        let amount_bytes = Some(flash_blocks(256, 145) * 4096);
        let asked = Job { engine, pattern, read_percent: 0, jobs: 3, targets: 2, amount_bytes, ..job() };
        let shared = Shared::new(&asked);
        let mut workers: Vec<_> = (0..asked.workers()).map(|worker| Accesses::new(&asked, worker, &shared)).collect();
        let mut drawn = [const { Vec::new() }; 2];
        for turn in 0..10_000_u32 {
            let worker = turn % asked.workers();
            if let Some(access) = workers[worker as usize].draw() {
                drawn[(worker / asked.workers_each()) as usize].push(access.offset_bytes / 4096);
            }
        }
        for each in &drawn {
            assert_eq!((each.len(), each.iter().collect::<HashSet<_>>().len()), (294, 256));
        }
        assert_ne!(drawn[0], drawn[1]);
    }
}

//! Random faults.

use iosonde_engine::job::{Job, Sync};
use iosonde_engine::pattern::{ArrivalKind, Burst, OpenLoop};
use iosonde_engine::random::Random;
use iosonde_engine::worker::{DRAIN_NS_MAX, SILENCE_NS_MAX};

use super::rig::{SECOND, SLACK_NS, end_ns, run_seeded};
use crate::common::faulty_ring::Fault;
use crate::common::{MS, job};

/// The longest delay of an operation is shorter than this.
const DELAY_NS_MAX: u64 = 10 * SECOND;

fn drawn_job(random: &mut Random) -> Job {
    let mut pick = |of: u64| random.below(of);
    let sync = [Sync::None, Sync::None, Sync::Fdatasync, Sync::Dsync][usize::try_from(pick(4)).unwrap_or(0)];
    let read_percent = u8::try_from([0, 30, 50, 100][usize::try_from(pick(4)).unwrap_or(0)]).unwrap_or(0);
    let trims = read_percent == 30 && pick(2) == 0;
    let pace = (pick(3) == 0).then(|| OpenLoop {
        rate_per_s: 500 + pick(20_000),
        arrivals: if pick(2) == 0 { ArrivalKind::Constant } else { ArrivalKind::Poisson },
    });
    let burst = (pace.is_none() && pick(4) == 0).then(|| Burst { operations: 1 + pick(20), think_ns: pick(3 * MS) });
    Job {
        queue_depth: 1 + u32::try_from(pick(12)).unwrap_or(0),
        read_percent,
        trim_percent: if trims { 20 } else { 0 },
        sync,
        flush_every: if sync == Sync::Fdatasync { 1 + pick(4) } else { 1 },
        warmup_ns: pick(5) * MS,
        measure_ns: MS + pick(12 * MS),
        interval_ns: MS + pick(5 * MS),
        amount_bytes: (pick(5) == 0).then(|| 4096 * (1 + pick(60))),
        seed: pick(u64::MAX),
        pace,
        burst,
        ..job()
    }
}

fn drawn_fault(random: &mut Random) -> Fault {
    const ERRNOS: [i32; 8] = [
        libc::EIO,
        libc::ENODATA,
        libc::ENXIO,
        libc::EREMOTEIO,
        libc::ENOSPC,
        libc::ETIMEDOUT,
        libc::EAGAIN,
        libc::EINTR,
    ];
    let mut pick = |of: u64| random.below(of);
    let errno = ERRNOS[usize::try_from(pick(6)).unwrap_or(0)];
    match pick(8) {
        0 => Fault::Range { offset_bytes: pick(1 << 20), length_bytes: 1 + pick(1 << 18), errno },
        1 => {
            let moved_bytes = [0, 512, 4095][usize::try_from(pick(3)).unwrap_or(0)];
            Fault::Short { permille: pick(300), moved_bytes }
        }
        2 => Fault::Again { permille: pick(950), errno: ERRNOS[6 + usize::try_from(pick(2)).unwrap_or(0)] },
        3 => Fault::AgainInARow { from: pick(100), count: pick(500) },
        4 => {
            let errnos = [libc::EAGAIN, libc::EINTR, libc::EBUSY, libc::EBADF];
            Fault::Submit { permille: pick(900), errno: errnos[usize::try_from(pick(4)).unwrap_or(0)] }
        }
        5 => Fault::Delay { permille: pick(100), extra_ns: pick(DELAY_NS_MAX) },
        6 => Fault::Lost { permille: pick(30) },
        _ => Fault::Gone { at_ns: pick(20 * MS), errno, loses_in_flight: pick(2) == 0 },
    }
}

/// Random plans, each with a seed that a failure names; `IOSONDE_FAULT_SEED` runs a single one.
#[test]
fn with_any_faults_each_operation_is_counted_once_and_the_job_ends_in_time() {
    let alone = std::env::var("IOSONDE_FAULT_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = alone.map_or(0..3_000, |seed: u64| seed..seed + 1);
    for seed in seeds {
        let mut random = Random::new(seed);
        let job = drawn_job(&mut random);
        let faults: Vec<Fault> = (0..random.below(4)).map(|_| drawn_fault(&mut random)).collect();
        let outcome = run_seeded(&job, &faults, seed);
        // A job with an amount ends on its own or by the silence deadline; each delay restarts that one.
        let own_ns =
            if job.amount_bytes.is_some() { 60 * (DELAY_NS_MAX + SECOND) + SILENCE_NS_MAX } else { end_ns(&job) };
        // Operations in flight at the end may be late by a delay, and each restarts the wait for those that are lost.
        let most_ns = own_ns + DELAY_NS_MAX + DRAIN_NS_MAX + SLACK_NS;
        assert!(outcome.ended_ns < most_ns, "seed {seed}: ended at {} of {most_ns}", outcome.ended_ns);
    }
}

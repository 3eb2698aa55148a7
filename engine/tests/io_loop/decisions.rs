//! Decisions within a job: the engine asks after each multiple of a time whether the job goes on.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::drive_bay::DriveBay;
use crate::common::{MS, job};
use iosonde_engine::cell::{Interval, JobContext, JobResult, Outcome, SimulatedContext, run_job, run_simulated_job};
use iosonde_engine::clock::Monotonic;
use iosonde_engine::job::{Engine, Job, Limits};
use iosonde_engine::pattern::{ArrivalKind, Duty, OpenLoop};
use iosonde_engine::sim::{Drive, Model, QueueingModel, Service};
use iosonde_engine::target::Target;

fn deciding() -> Job {
    Job { engine: Engine::Simulation, measure_ns: 100 * MS, decide_ns: Some(20 * MS), ..job() }
}

fn bay() -> DriveBay {
    let model = QueueingModel { size_bytes: 1 << 20, servers: 3, service: Service::Exponential, service_ns: 100_000 };
    DriveBay::of(Drive::new(&Model::Queueing(model), 1))
}

// The moments at which a job asks, if it is never ended.
fn moments(job: &Job) -> Vec<u64> {
    let mut asked = Vec::new();
    bay().run_while(job, |measured_ns| {
        asked.push(measured_ns / MS);
        true
    });
    asked
}

fn ended_at(job: &Job, end_ns: u64) -> (Vec<Interval>, JobResult) {
    bay().run_while(job, |measured_ns| measured_ns < end_ns)
}

#[test]
fn a_job_asks_at_each_multiple_before_its_end() {
    assert_eq!(moments(&deciding()), [20, 40, 60, 80]);
    assert_eq!(moments(&Job { warmup_ns: 0, jobs: 3, ..deciding() }), [20, 40, 60, 80]);
    assert_eq!(moments(&Job { decide_ns: Some(30 * MS), measure_ns: 95 * MS, ..deciding() }), [30, 60, 90]);
    assert_eq!(moments(&Job { decide_ns: None, ..deciding() }), Vec::<u64>::new());
    assert_eq!(moments(&Job { decide_ns: Some(200 * MS), ..deciding() }), Vec::<u64>::new());
    let limited = Job { amount_bytes: Some(1 << 30), limit_ns: Some(60 * MS), ..deciding() };
    assert_eq!(moments(&limited), [20, 40]);
    let off = Job { duty: Some(Duty { on_ns: 5 * MS, off_ns: 35 * MS }), warmup_ns: 0, ..deciding() };
    assert_eq!(moments(&off), [20, 40, 60, 80]);
}

#[test]
fn all_intervals_up_to_a_moment_come_before_it() {
    let said = RefCell::new(Vec::new());
    let target = Target::simulation(1 << 20);
    let bay = &mut bay();
    let mut context = SimulatedContext {
        targets: std::slice::from_ref(&target),
        drives: &mut bay.drives,
        clock: &bay.clock,
        stop: Arc::default(),
        limits: Limits::default(),
    };
    let mut interval = |found: Interval| said.borrow_mut().push(("interval", found.end_ns / MS));
    let mut asked = |measured_ns| said.borrow_mut().push(("asks", measured_ns / MS + 10));
    let result = run_simulated_job(&deciding(), &mut context, &mut |_| {}, &mut interval, &mut asked);
    assert_eq!(result.map(|result| result.outcome), Ok(Outcome::Finished));
    let expected = (1..=11).flat_map(|number| {
        let asks = (number > 1 && number % 2 == 1 && number < 11).then_some(("asks", number * 10));
        std::iter::once(("interval", number * 10)).chain(asks)
    });
    assert_eq!(said.into_inner(), expected.collect::<Vec<_>>());
}

#[test]
fn a_job_that_is_ended_at_a_moment_is_a_job_of_that_length() {
    let pace = Some(OpenLoop { rate_per_s: 20_000, arrivals: ArrivalKind::Poisson });
    let forms = [
        deciding(),
        Job { warmup_ns: 0, jobs: 2, queue_depth: 8, ..deciding() },
        Job { pace, ..deciding() },
        Job { duty: Some(Duty { on_ns: 7 * MS, off_ns: 3 * MS }), ..deciding() },
    ];
    for form in forms {
        let (intervals, mut ended) = ended_at(&form, 40 * MS);
        let (shorter, result) = bay().run(&Job { measure_ns: 40 * MS, ..form.clone() });
        assert_eq!(intervals, shorter, "{form:?}");
        assert_eq!(ended.outcome, Outcome::Cut);
        ended.outcome = Outcome::Finished;
        assert_eq!(ended, result, "{form:?}");
    }
}

#[test]
fn going_on_changes_nothing() {
    let (intervals, result) = bay().run_while(&deciding(), |_| true);
    assert_eq!((intervals, result), bay().run(&Job { decide_ns: None, ..deciding() }));
}

#[test]
fn a_job_on_a_real_target_goes_on_while_it_is_decided() {
    let target = Target::null(1 << 20);
    let stop = Arc::new(AtomicBool::new(false));
    let context = JobContext {
        targets: std::slice::from_ref(&target),
        clock: Monotonic::start(),
        stop: Arc::clone(&stop),
        limits: Limits::default(),
    };
    let job = Job { engine: Engine::Null, ..deciding() };
    let mut asked = Vec::new();
    let mut add = |measured_ns| asked.push(measured_ns);
    let result = run_job(&job, &context, &mut |_| {}, &mut |_| {}, &mut add, &mut |_| {}).expect("it can be run");
    assert_eq!((result.outcome, result.measured_ns), (Outcome::Finished, 100 * MS));
    // On a busy machine, some intervals may be merged.
    assert!((1..=4).contains(&asked.len()) && asked.is_sorted(), "{asked:?}");
    let mut end = |_| stop.store(true, Ordering::Relaxed);
    let long = Job { measure_ns: 60_000 * MS, ..job };
    let result = run_job(&long, &context, &mut |_| {}, &mut |_| {}, &mut end, &mut |_| {}).expect("it can be run");
    assert_eq!(result.outcome, Outcome::Cut);
    assert!((20 * MS..30_000 * MS).contains(&result.measured_ns), "{}", result.measured_ns);
}

#[test]
fn a_time_that_is_no_multiple_of_the_interval_is_refused() {
    let target = Target::simulation(1 << 20);
    for decide_ns in [0, 1, 15 * MS, 31 * 86_400_000 * MS] {
        let refused = Job { decide_ns: Some(decide_ns), ..deciding() }.check(&target).expect_err("refused");
        assert!(refused.message.starts_with(&format!("decide_ns is {decide_ns}, which is not a multiple")));
    }
}

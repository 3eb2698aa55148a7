//! An exponential server in real time with an open loop: M/M/1 on the host's clock, with the worker that drives real
//! rings. Its closed-form solution is known, so deviations are due to the engine or the host.
//!
//! `real_time JOB SERVICE_NS` prints the response latencies as JSON: nanoseconds, and counts by bucket.

use std::io;
use std::sync::Arc;

use iosonde_engine::clock::{Clock, Monotonic};
use iosonde_engine::job::Job;
use iosonde_engine::pattern::{Accesses, Arrivals, Shared};
use iosonde_engine::record::Class;
use iosonde_engine::ring::{Completion, Request, Ring, RingFacts, SharedBuffers};
use iosonde_engine::sim::{Drive, IoCommand, Model, QueueingModel, Service};
use iosonde_engine::worker::{HostMonitor, Step, Worker, WorkerParts, recorder_pair};

/// A server behind a ring. Waiting spins on the clock until an operation completes.
struct ServerRing {
    drive: Drive,
    clock: Monotonic,
    requests: Vec<Request>,
    buffers: SharedBuffers,
}

impl Ring for ServerRing {
    fn push(&mut self, request: Request) {
        self.requests.push(request);
    }

    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        let drive = self.drive.simulation();
        let now = self.clock.now();
        for Request { operation, slot, offset_bytes, length_bytes, .. } in self.requests.drain(..) {
            drive.submit(now, slot.into(), &IoCommand { operation, offset_bytes, length_bytes });
        }
        if wait_for > 0 {
            let until_ns = drive.next_ns().min(now.saturating_add(timeout_ns));
            while self.clock.now() < until_ns {
                std::hint::spin_loop();
            }
        }
        Ok(())
    }

    fn reap(&mut self, into: &mut Vec<Completion>) {
        let (drive, now) = (self.drive.simulation(), self.clock.now());
        let done = std::iter::from_fn(|| drive.take_completion(now));
        into.extend(done.map(|(tag, result)| {
            let slot = u32::try_from(tag).expect("tags are slot numbers");
            Completion { slot, result }
        }));
    }

    fn buffers(&mut self) -> &mut SharedBuffers {
        &mut self.buffers
    }

    fn facts(&self) -> RingFacts {
        RingFacts::plain("none")
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let [job, service_ns] = words.as_slice() else { panic!("real_time JOB SERVICE_NS") };
    let job: Job = serde_json::from_str(job).expect("the first argument is a job");
    let service_ns = service_ns.parse().expect("the second argument is a number of nanoseconds");
    let server = QueueingModel { size_bytes: job.span_bytes, servers: 1, service: Service::Exponential, service_ns };
    let clock = Monotonic::start();
    // Service times are independent of arrivals.
    let drive = Drive::new(&Model::Queueing(server), !job.seed);
    let (recorder, _spares) = recorder_pair(&job, 4, None);
    let parts = WorkerParts {
        ring: ServerRing { drive, clock, requests: Vec::new(), buffers: SharedBuffers::none() },
        clock,
        accesses: Accesses::new(&job, 0, &Shared::new(&job)),
        payload: None,
        ledger: None,
        arrivals: Arrivals::of(&job, 0),
        recorder,
        host_monitor: HostMonitor::of_thread(),
        stop: Arc::default(),
        heard_ns: Arc::default(),
    };
    let mut worker = Worker::new(&job, parts, clock.now());
    while worker.step() == Step::Running {}
    let end = worker.finish();
    let reads = end.tally.class(Class::Read);
    let buckets: Vec<(usize, u64)> = reads.response.buckets.filled().collect();
    #[allow(clippy::print_stdout)] // Its output.
    {
        println!(
            "{{\"count\": {}, \"response_ns_sum\": {}, \"host_lag_ns_sum\": {}, \"buckets\": {}}}",
            reads.count,
            reads.response.ns_sum,
            reads.host_lag.ns_sum,
            serde_json::to_string(&buckets).expect("numbers are always JSON"),
        );
    }
}

//! A drive of any model with scheduled faults.

use super::completions::CompletionQueue;
use super::drive_time::DriveTime;
use super::{Drive, FaultPlan, Health, InFlight, IoCommand, Simulation, StateHash};

// A request in the drive, and the effect of faults on it.
#[derive(Clone, Copy, Debug)]
struct TrackedRequest {
    tag: u64,
    order: u64,
    extra_ns: u64,
    fails: bool,
}

/// A drive with scheduled faults. Throttling and stalls slow down the drive's own time; the other faults change
/// completions.
#[derive(Clone, Debug)]
pub struct Faulty {
    drive: Drive,
    faults: Vec<FaultPlan>,
    opened_ns: u64,
    time: DriveTime,
    // When the drive disappears; `u64::MAX` for never.
    gone_ns: u64,
    in_flight: InFlight,
    now_ns: u64,
    arrivals: u64,
    // Requests in the inner drive. The index is the tag that the inner drive gets, and is reused.
    held: Vec<Option<TrackedRequest>>,
    unused: Vec<usize>,
    // Completed by the inner drive, and not reaped yet.
    completions: CompletionQueue,
}

impl Faulty {
    /// A drive that was opened at a given time.
    #[must_use]
    pub fn new(drive: Drive, faults: &[FaultPlan], opened_ns: u64) -> Self {
        let gone = faults.iter().filter_map(|fault| match fault {
            FaultPlan::Disappearance { from_ns, in_flight } => Some((opened_ns + from_ns, *in_flight)),
            _ => None,
        });
        let (gone_ns, in_flight) = gone.min_by_key(|(gone_ns, _)| *gone_ns).unwrap_or((u64::MAX, InFlight::Fail));
        Self {
            drive,
            faults: faults.to_vec(),
            opened_ns,
            time: DriveTime::new(faults, opened_ns),
            gone_ns,
            in_flight,
            now_ns: opened_ns,
            arrivals: 0,
            held: Vec::new(),
            unused: Vec::new(),
            completions: CompletionQueue::default(),
        }
    }

    // The additional latency from latency spikes for a request that arrives now.
    fn extra_ns(&self) -> u64 {
        let since_ns = self.now_ns - self.opened_ns;
        let spikes = self.faults.iter().filter_map(|fault| match *fault {
            FaultPlan::LatencySpikes { from_ns, period_ns, length_ns, extra_ns } => {
                (since_ns >= from_ns && (since_ns - from_ns) % period_ns < length_ns).then_some(extra_ns)
            }
            _ => None,
        });
        spikes.sum()
    }

    // Whether a media error affects a request that arrives now.
    fn fails(&self, io: &IoCommand) -> bool {
        let since_ns = self.now_ns - self.opened_ns;
        let (start, end) = (io.offset_bytes, io.offset_bytes + u64::from(io.length_bytes));
        self.faults.iter().any(|fault| match *fault {
            FaultPlan::MediaError { from_ns, offset_bytes, length_bytes, operations } => {
                since_ns >= from_ns
                    && operations.holds(io.operation)
                    && start < offset_bytes + length_bytes
                    && end > offset_bytes
            }
            _ => false,
        })
    }

    // The time of the inner drive's next completion. Completions after the disappearance are suppressed.
    #[inline]
    fn next_inside_ns(&self) -> u64 {
        let drive_ns = self.drive.simulated().next_ns();
        let host_ns = if drive_ns == u64::MAX { u64::MAX } else { self.time.host_ns(drive_ns) };
        if host_ns < self.gone_ns { host_ns } else { u64::MAX }
    }

    // Reaps all requests that the inner drive has completed by a time, and applies the disappearance.
    fn advance(&mut self, to_ns: u64) {
        loop {
            let next_ns = self.next_inside_ns();
            if next_ns > to_ns {
                break;
            }
            let drive_ns = self.time.drive_ns(next_ns);
            while let Some((number, result)) = self.drive.simulation().take_completion(drive_ns) {
                let number = usize::try_from(number).expect("tags are indices of `held`");
                let held = self.held[number].take().expect("a request completes once");
                self.unused.push(number);
                let result = if held.fails { -libc::EIO } else { result };
                self.completions.push(next_ns.saturating_add(held.extra_ns), held.order, held.tag, result);
            }
        }
        if to_ns >= self.gone_ns && self.now_ns < self.gone_ns {
            self.disappear();
        }
        self.now_ns = to_ns;
    }

    fn disappear(&mut self) {
        let mut lost = self.completions.take_later(self.gone_ns);
        lost.extend(self.held.drain(..).flatten().map(|held| (held.order, held.tag)));
        if self.in_flight == InFlight::Fail {
            for (order, tag) in lost {
                self.completions.push(self.gone_ns, order, tag, -libc::ENODEV);
            }
        }
        self.unused.clear();
    }
}

impl Simulation for Faulty {
    fn size_bytes(&self) -> u64 {
        self.drive.simulated().size_bytes()
    }

    fn submit(&mut self, now_ns: u64, tag: u64, io: &IoCommand) {
        self.advance(now_ns);
        self.arrivals += 1;
        if now_ns >= self.gone_ns {
            self.completions.push(now_ns, self.arrivals, tag, -libc::ENODEV);
            return;
        }
        let held = TrackedRequest { tag, order: self.arrivals, extra_ns: self.extra_ns(), fails: self.fails(io) };
        let number = self.unused.pop().unwrap_or_else(|| {
            self.held.push(None);
            self.held.len() - 1
        });
        self.held[number] = Some(held);
        self.drive.simulation().submit(self.time.drive_ns(now_ns), number as u64, io);
    }

    fn next_ns(&self) -> u64 {
        let done_ns = self.completions.next_ns();
        let inside_ns = self.next_inside_ns();
        let waits = self.now_ns < self.gone_ns && self.held.len() > self.unused.len();
        let late = self.now_ns < self.gone_ns && done_ns > self.gone_ns && done_ns < u64::MAX;
        let next_ns = if late { u64::MAX } else { done_ns }.min(inside_ns);
        // The disappearance is an event itself, because requests in flight fail then.
        if (waits || late) && self.in_flight == InFlight::Fail { next_ns.min(self.gone_ns) } else { next_ns }
    }

    fn take_completion(&mut self, now_ns: u64) -> Option<(u64, i32)> {
        self.advance(now_ns);
        self.completions.take(now_ns)
    }

    fn health(&self) -> Health {
        let health = self.drive.simulated().health();
        let until_ns = self.now_ns.min(self.gone_ns);
        Health { throttled_ns: health.throttled_ns + self.time.throttled_ns(until_ns), ..health }
    }

    fn state_hash(&self) -> u64 {
        let mut hash = StateHash::default();
        hash.add(self.drive.simulated().state_hash());
        self.faults.iter().for_each(|fault| fault.add_to(&mut hash));
        let waiting = (self.held.len() - self.unused.len() + self.completions.len()) as u64;
        hash.add_all([self.opened_ns, u64::from(self.now_ns >= self.gone_ns), waiting]);
        hash.value()
    }

    fn format(&mut self, now_ns: u64) {
        self.advance(now_ns);
        if now_ns < self.gone_ns {
            self.drive.simulation().format(self.time.drive_ns(now_ns));
        }
    }

    fn purge(&mut self, now_ns: u64) -> bool {
        self.advance(now_ns);
        now_ns < self.gone_ns && self.drive.simulation().purge(self.time.drive_ns(now_ns))
    }
}

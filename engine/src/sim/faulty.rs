//! A drive of any model, with faults on a schedule.

use super::done::Done;
use super::own_time::OwnTime;
use super::{Drive, FaultPlan, Health, InFlight, Serve, Simulation, StateHash};

// A request in the drive, and what the faults do to it.
#[derive(Clone, Copy, Debug)]
struct Held {
    ticket: u64,
    order: u64,
    extra_ns: u64,
    fails: bool,
}

/// Such a drive. Throttling and stalls slow down the time in which the drive lives; the other faults change what comes back.
#[derive(Clone, Debug)]
pub struct Faulty {
    drive: Drive,
    faults: Vec<FaultPlan>,
    opened_ns: u64,
    time: OwnTime,
    // When the drive disappears; `u64::MAX` for never.
    gone_ns: u64,
    in_flight: InFlight,
    now_ns: u64,
    orders: u64,
    // By the ticket that the drive was given: numbers are used again.
    held: Vec<Option<Held>>,
    unused: Vec<usize>,
    // Out of the drive, and kept back: not taken yet.
    done: Done,
}

impl Faulty {
    /// A drive that was opened at a time.
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
            time: OwnTime::new(faults, opened_ns),
            gone_ns,
            in_flight,
            now_ns: opened_ns,
            orders: 0,
            held: Vec::new(),
            unused: Vec::new(),
            done: Done::default(),
        }
    }

    // What latency spikes add to a request that arrives now.
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

    // Whether a request that arrives now meets an error of the medium.
    fn fails(&self, serve: &Serve) -> bool {
        let since_ns = self.now_ns - self.opened_ns;
        let (start, end) = (serve.offset_bytes, serve.offset_bytes + u64::from(serve.length_bytes));
        self.faults.iter().any(|fault| match *fault {
            FaultPlan::MediaError { from_ns, offset_bytes, length_bytes, operations } => {
                since_ns >= from_ns
                    && operations.holds(serve.operation)
                    && start < offset_bytes + length_bytes
                    && end > offset_bytes
            }
            _ => false,
        })
    }

    // When the drive itself hands something out next; what would come after it is gone does not.
    #[inline]
    fn next_inside_ns(&self) -> u64 {
        let own_ns = self.drive.simulated().next_ns();
        let host_ns = if own_ns == u64::MAX { u64::MAX } else { self.time.host_ns(own_ns) };
        if host_ns < self.gone_ns { host_ns } else { u64::MAX }
    }

    // Takes everything out of the drive that it has done up to a time, and lets it disappear when it is time.
    fn advance(&mut self, to_ns: u64) {
        loop {
            let next_ns = self.next_inside_ns();
            if next_ns > to_ns {
                break;
            }
            let own_ns = self.time.own_ns(next_ns);
            while let Some((number, result)) = self.drive.simulation().take_done(own_ns) {
                let number = usize::try_from(number).expect("it was one of ours");
                let held = self.held[number].take().expect("a request comes back once");
                self.unused.push(number);
                let result = if held.fails { -libc::EIO } else { result };
                self.done.push(next_ns.saturating_add(held.extra_ns), held.order, held.ticket, result);
            }
        }
        if to_ns >= self.gone_ns && self.now_ns < self.gone_ns {
            self.disappear();
        }
        self.now_ns = to_ns;
    }

    fn disappear(&mut self) {
        let mut lost = self.done.take_later(self.gone_ns);
        lost.extend(self.held.drain(..).flatten().map(|held| (held.order, held.ticket)));
        if self.in_flight == InFlight::Fail {
            for (order, ticket) in lost {
                self.done.push(self.gone_ns, order, ticket, -libc::ENODEV);
            }
        }
        self.unused.clear();
    }
}

impl Simulation for Faulty {
    fn size_bytes(&self) -> u64 {
        self.drive.simulated().size_bytes()
    }

    fn submit(&mut self, now_ns: u64, ticket: u64, serve: &Serve) {
        self.advance(now_ns);
        self.orders += 1;
        if now_ns >= self.gone_ns {
            self.done.push(now_ns, self.orders, ticket, -libc::ENODEV);
            return;
        }
        let held = Held { ticket, order: self.orders, extra_ns: self.extra_ns(), fails: self.fails(serve) };
        let number = self.unused.pop().unwrap_or_else(|| {
            self.held.push(None);
            self.held.len() - 1
        });
        self.held[number] = Some(held);
        self.drive.simulation().submit(self.time.own_ns(now_ns), number as u64, serve);
    }

    fn next_ns(&self) -> u64 {
        let done_ns = self.done.next_ns();
        let inside_ns = self.next_inside_ns();
        let waits = self.now_ns < self.gone_ns && self.held.len() > self.unused.len();
        let late = self.now_ns < self.gone_ns && done_ns > self.gone_ns && done_ns < u64::MAX;
        let next_ns = if late { u64::MAX } else { done_ns }.min(inside_ns);
        // At its end the drive is asked once more, for what becomes of those that are in flight.
        if (waits || late) && self.in_flight == InFlight::Fail { next_ns.min(self.gone_ns) } else { next_ns }
    }

    fn take_done(&mut self, now_ns: u64) -> Option<(u64, i32)> {
        self.advance(now_ns);
        self.done.take(now_ns)
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
        let waiting = (self.held.len() - self.unused.len() + self.done.len()) as u64;
        hash.add_all([self.opened_ns, u64::from(self.now_ns >= self.gone_ns), waiting]);
        hash.value()
    }

    fn format(&mut self, now_ns: u64) {
        self.advance(now_ns);
        if now_ns < self.gone_ns {
            self.drive.simulation().format(self.time.own_ns(now_ns));
        }
    }
}

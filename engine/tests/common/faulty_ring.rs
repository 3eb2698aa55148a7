//! A ring around another one that injects seeded faults. It records everything submitted and completed.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

use iosonde_engine::clock::Clock;
use iosonde_engine::random::Random;
use iosonde_engine::ring::{Completion, Operation, Request, Ring, RingFacts, SharedBuffers};

use super::ManualClock;

/// Faults. Shares are in thousandths of all attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Operations that overlap a range fail.
    Range { offset_bytes: u64, length_bytes: u64, errno: i32 },
    /// Short transfers.
    Short { permille: u64, moved_bytes: i32 },
    /// Completions with EAGAIN or EINTR.
    Again { permille: u64, errno: i32 },
    /// Consecutive completions with EAGAIN, from a given attempt on.
    AgainInARow { from: u64, count: u64 },
    /// Submission fails, and nothing is submitted.
    Submit { permille: u64, errno: i32 },
    /// Completions are delayed.
    Delay { permille: u64, extra_ns: u64 },
    /// Operations never complete.
    Lost { permille: u64 },
    /// From a given time on all operations fail. Those in flight never complete, or fail too.
    Gone { at_ns: u64, errno: i32, loses_in_flight: bool },
}

/// The record of this side of the ring.
#[derive(Clone, Debug, Default)]
pub struct RingLog {
    /// Operations, without retries.
    pub started: u64,
    /// Retries.
    pub retried: u64,
    /// Successful operations and their bytes.
    pub whole: u64,
    pub bytes: u64,
    /// Failed operations (errors and short transfers), and those to be retried.
    pub failed: u64,
    pub again: u64,
    /// Operations not completed, by slot.
    pub in_flight: Vec<Option<Request>>,
    /// Operations to be retried, by slot.
    pub to_retry: Vec<Option<Request>>,
    /// Failed submissions.
    pub refused: u64,
    /// The longest time from an operation's first attempt to its successful completion, and the start of each, by slot.
    pub latency_ns_max: u64,
    pub begun_ns: Vec<u64>,
}

impl RingLog {
    /// Operations that never completed.
    pub fn out(&self) -> u64 {
        self.in_flight.iter().flatten().count() as u64
    }
}

/// The ring.
pub struct FaultyRing<R> {
    inner: R,
    clock: ManualClock,
    service_ns: u64,
    faults: Vec<Fault>,
    random: Random,
    attempts: u64,
    // Not submitted yet; in the inner ring, with their scheduled effect, by slot; and completing.
    pushed: VecDeque<Request>,
    inside: Vec<Option<Fate>>,
    coming: Vec<(u64, Completion)>,
    taken: Vec<Completion>,
    pub log: Rc<RefCell<RingLog>>,
}

#[derive(Clone, Copy)]
struct Fate {
    due_ns: u64,
    is_lost: bool,
}

/// The least duration of a call.
const CALL_NS: u64 = 1_000;
/// The duration of a waiting call that fails.
const REFUSED_WAIT_NS: u64 = 1_000_000;

impl<R: Ring> FaultyRing<R> {
    pub fn new(inner: R, slots: u32, clock: &ManualClock, service_ns: u64, faults: &[Fault], seed: u64) -> Self {
        let slots = slots as usize;
        let empty = vec![None; slots];
        let log = RingLog { in_flight: empty.clone(), to_retry: empty, begun_ns: vec![0; slots], ..RingLog::default() };
        Self {
            inner,
            clock: clock.clone(),
            service_ns,
            faults: faults.to_vec(),
            random: Random::new(seed),
            attempts: 0,
            pushed: VecDeque::new(),
            inside: vec![None; slots],
            coming: Vec::new(),
            taken: Vec::with_capacity(slots),
            log: Rc::new(RefCell::new(log)),
        }
    }

    fn hits(&mut self, permille: u64) -> bool {
        permille > 0 && self.random.below(1000) < permille
    }

    // The injected result of an attempt, if any.
    fn answer(&mut self, request: &Request) -> Option<i32> {
        for number in 0..self.faults.len() {
            let answer = match self.faults[number] {
                Fault::Range { offset_bytes, length_bytes, errno } => {
                    let end = request.offset_bytes + u64::from(request.length_bytes);
                    let touches = request.offset_bytes < offset_bytes + length_bytes && offset_bytes < end;
                    (touches && request.operation != Operation::Flush).then_some(-errno)
                }
                Fault::Short { permille, moved_bytes } => {
                    (request.operation.moves_data() && self.hits(permille)).then_some(moved_bytes)
                }
                Fault::Again { permille, errno } => self.hits(permille).then_some(-errno),
                Fault::AgainInARow { from, count } => {
                    (from..from + count).contains(&self.attempts).then_some(-libc::EAGAIN)
                }
                Fault::Gone { at_ns, errno, .. } => (self.clock.now() >= at_ns).then_some(-errno),
                Fault::Submit { .. } | Fault::Delay { .. } | Fault::Lost { .. } => None,
            };
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    fn fate(&mut self) -> Fate {
        let mut fate = Fate { due_ns: self.clock.now() + self.service_ns, is_lost: false };
        for number in 0..self.faults.len() {
            let fault = self.faults[number];
            match fault {
                Fault::Delay { permille, extra_ns } if self.hits(permille) => fate.due_ns += extra_ns,
                Fault::Lost { permille } if self.hits(permille) => fate.is_lost = true,
                _ => (),
            }
        }
        fate
    }

    fn submit_pushed(&mut self) {
        while let Some(request) = self.pushed.pop_front() {
            self.attempts += 1;
            let fate = self.fate();
            if let Some(result) = self.answer(&request) {
                self.coming.push((fate.due_ns, Completion { slot: request.slot, result }));
            } else {
                self.inside[request.slot as usize] = Some(fate);
                self.inner.push(request);
            }
        }
    }

    // Reaps the inner ring.
    fn reap_inner(&mut self) {
        let mut taken = std::mem::take(&mut self.taken);
        self.inner.reap(&mut taken);
        while self.inner.has_deferred_work() {
            let found = taken.len();
            self.inner.run_deferred_work();
            self.inner.reap(&mut taken);
            if taken.len() == found {
                break;
            }
        }
        for completion in taken.drain(..) {
            let fate = self.inside[completion.slot as usize].take().expect("a completion of what is inside");
            if !fate.is_lost {
                self.coming.push((fate.due_ns, completion));
            }
        }
        self.taken = taken;
        self.disappear();
        self.coming.sort_by_key(|(due_ns, _)| *due_ns);
    }

    // Operations in flight when the target disappears.
    fn disappear(&mut self) {
        let gone = self.faults.iter().find_map(|fault| match *fault {
            Fault::Gone { at_ns, errno, loses_in_flight } => Some((at_ns, errno, loses_in_flight)),
            _ => None,
        });
        let Some((at_ns, errno, loses_in_flight)) = gone else { return };
        if self.clock.now() < at_ns {
            return;
        }
        if loses_in_flight {
            self.coming.retain(|(due_ns, completion)| *due_ns <= at_ns || completion.result < 0);
        } else {
            for (due_ns, completion) in &mut self.coming {
                if *due_ns > at_ns && completion.result >= 0 {
                    (*due_ns, completion.result) = (self.clock.now(), -errno);
                }
            }
        }
    }

    fn enter(&mut self, completion: Completion) {
        let mut log = self.log.borrow_mut();
        let slot = completion.slot as usize;
        let request = log.in_flight[slot].take().expect("it was in flight");
        let whole = if request.operation.moves_data() { request.length_bytes.cast_signed() } else { 0 };
        if completion.result == whole {
            log.whole += 1;
            log.bytes += u64::from(whole.cast_unsigned());
            log.latency_ns_max = log.latency_ns_max.max(self.clock.now() - log.begun_ns[slot]);
        } else if matches!(-completion.result, libc::EAGAIN | libc::EINTR) {
            log.again += 1;
            log.to_retry[slot] = Some(request);
        } else {
            log.failed += 1;
        }
    }
}

fn is_same(one: &Request, other: &Request) -> bool {
    let what = |request: &Request| (request.operation, request.offset_bytes, request.length_bytes, request.buffer_at);
    what(one) == what(other)
}

impl<R: Ring> Ring for FaultyRing<R> {
    fn push(&mut self, request: Request) {
        let mut log = self.log.borrow_mut();
        let slot = request.slot as usize;
        if let Some(before) = log.to_retry[slot].take() {
            assert!(is_same(&before, &request), "{before:?} was to be tried again, not {request:?}");
            log.retried += 1;
        } else {
            log.started += 1;
            log.begun_ns[slot] = self.clock.now();
        }
        assert!(log.in_flight[slot].replace(request).is_none(), "a slot with two operations");
        self.pushed.push_back(request);
    }

    fn submit(&mut self, wait_for: u32, timeout_ns: u64) -> io::Result<()> {
        self.clock.advance(CALL_NS);
        for number in 0..self.faults.len() {
            if let Fault::Submit { permille, errno } = self.faults[number]
                && self.hits(permille)
            {
                self.log.borrow_mut().refused += 1;
                self.clock.advance(if wait_for > 0 { REFUSED_WAIT_NS } else { 0 });
                return Err(io::Error::from_raw_os_error(errno));
            }
        }
        self.submit_pushed();
        let inside = self.inside.iter().flatten().filter(|fate| !fate.is_lost).count();
        self.inner.submit(u32::from(wait_for > 0 && inside > 0 && self.coming.is_empty()), timeout_ns)?;
        self.reap_inner();
        if wait_for > 0 {
            let due_ns = self.coming.first().map_or(u64::MAX, |(due_ns, _)| *due_ns);
            self.clock.advance(due_ns.saturating_sub(self.clock.now()).min(timeout_ns));
            self.reap_inner();
        }
        Ok(())
    }

    fn reap(&mut self, into: &mut Vec<Completion>) {
        let now = self.clock.now();
        let due = self.coming.iter().take_while(|(due_ns, _)| *due_ns <= now).count();
        let given: Vec<(u64, Completion)> = self.coming.drain(..due).collect();
        for (_, completion) in given {
            self.enter(completion);
            into.push(completion);
        }
    }

    fn buffers(&mut self) -> &mut SharedBuffers {
        self.inner.buffers()
    }

    fn facts(&self) -> RingFacts {
        self.inner.facts()
    }
}

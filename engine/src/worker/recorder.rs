//! Sends full tallies to the collector and receives empty ones, without blocking.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::Thread;

use rtrb::{Consumer, Producer, RingBuffer};

use crate::job::Job;
use crate::record::{Phase, Tally};

/// The worker's side: the current tally, a queue of empty ones, and the queue of full ones.
pub struct Recorder {
    current: Box<Tally>,
    // Reserved for the change from warm-up to measurement, which may never share a tally.
    reserve: Option<Box<Tally>>,
    empty: Consumer<Box<Tally>>,
    full: Producer<Box<Tally>>,
    collector: Option<Thread>,
    drained: Arc<AtomicU64>,
    merged: u64,
}

/// The collector's side: receives full tallies, and returns empty ones.
pub struct TallyReceiver {
    /// Full tallies.
    pub full: Consumer<Box<Tally>>,
    empty: Producer<Box<Tally>>,
    drained: Arc<AtomicU64>,
}

impl TallyReceiver {
    /// The number of operations that have completed after the end of the job. No interval includes them.
    pub fn drained(&self) -> u64 {
        self.drained.load(Ordering::Relaxed)
    }

    /// Clears a tally and returns it to the worker.
    pub fn recycle(&mut self, mut tally: Box<Tally>) {
        tally.clear();
        // The queue has room for every tally. If the worker has ended, the tally is dropped.
        let _ = self.empty.push(tally);
    }
}

/// Both sides, with `spares` empty tallies in the queue. The `collector` thread is woken at the end of each interval.
#[must_use]
pub fn recorder_pair(job: &Job, spares: usize, collector: Option<Thread>) -> (Recorder, TallyReceiver) {
    let tally = || Box::new(Tally::new(&job.classes(), job.pace.is_some()));
    let (mut empty_in, empty) = RingBuffer::new(spares + 2);
    let (full, full_out) = RingBuffer::new(spares + 2);
    for _ in 0..spares {
        empty_in.push(tally()).expect("the queue was made for this many");
    }
    let drained = Arc::new(AtomicU64::new(0));
    let spares = TallyReceiver { full: full_out, empty: empty_in, drained: Arc::clone(&drained) };
    let recorder = Recorder { current: tally(), reserve: Some(tally()), empty, full, collector, drained, merged: 0 };
    (recorder, spares)
}

impl Recorder {
    /// Starts the first interval.
    pub fn begin(&mut self, phase: Phase, start_ns: u64) {
        self.current.begin(phase, 0, start_ns);
    }

    /// The tally of the current interval.
    #[inline]
    pub fn current(&mut self) -> &mut Tally {
        &mut self.current
    }

    /// Ends the current interval at `end_ns` and starts the given one. If no empty tally is available, the current one
    /// covers both.
    pub fn next_interval(&mut self, end_ns: u64, phase: Phase, interval: u64) {
        self.current.end_ns = end_ns;
        let mut next = self.empty.pop().ok();
        if next.is_none() && phase != self.current.phase {
            next = self.reserve.take();
        }
        let Some(mut next) = next else {
            assert_eq!(phase, self.current.phase, "the reserve covers the one change from warm-up to measurement");
            self.current.interval_last = interval;
            self.merged += 1;
            return;
        };
        next.begin(phase, interval, end_ns);
        self.current.close();
        let full = std::mem::replace(&mut self.current, next);
        self.full.push(full).expect("the queue has room for every tally");
        if let Some(collector) = &self.collector {
            collector.unpark();
        }
    }

    /// Counts operations that have completed after the end of the job, for the collector.
    pub fn count_drained(&self, completions: u64) {
        self.drained.fetch_add(completions, Ordering::Relaxed);
    }

    /// Ends the last interval. Returns the current tally, and how often intervals had to be merged. An interval that
    /// was ended before its start has no length.
    #[must_use]
    pub fn finish(mut self, end_ns: u64) -> (Box<Tally>, u64) {
        self.current.end_ns = end_ns.max(self.current.start_ns);
        self.current.close();
        (self.current, self.merged)
    }
}

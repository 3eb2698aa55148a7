//! Hands full tallies to the collector and takes empty ones back, without waiting for it.

use std::thread::Thread;

use rtrb::{Consumer, Producer, RingBuffer};

use crate::job::Job;
use crate::record::{Phase, Tally};

/// The worker's side: the tally in use, empty ones to go on with, and the way out for full ones.
pub struct Recorder {
    current: Box<Tally>,
    // Kept back for the change from warm-up to measuring, which may never be added together.
    reserve: Option<Box<Tally>>,
    empty: Consumer<Box<Tally>>,
    full: Producer<Box<Tally>>,
    collector: Option<Thread>,
    merged: u64,
}

/// The collector's side: full tallies in, empty ones back.
pub struct Spares {
    /// Tallies to be read.
    pub full: Consumer<Box<Tally>>,
    empty: Producer<Box<Tally>>,
}

impl Spares {
    /// Gives a tally back once it was read.
    pub fn give_back(&mut self, mut tally: Box<Tally>) {
        tally.clear();
        // The queue has room for every tally there is; should the worker be gone, the tally just ends here.
        let _ = self.empty.push(tally);
    }
}

/// Both sides, with `spares` empty tallies between them. `collector` is woken at each interval.
#[must_use]
pub fn recorder_pair(job: &Job, spares: usize, collector: Option<Thread>) -> (Recorder, Spares) {
    let tally = || Box::new(Tally::new(&job.asked(), job.pace.is_some()));
    let (mut empty_in, empty) = RingBuffer::new(spares + 2);
    let (full, full_out) = RingBuffer::new(spares + 2);
    for _ in 0..spares {
        empty_in.push(tally()).expect("the queue was made for this many");
    }
    let recorder = Recorder { current: tally(), reserve: Some(tally()), empty, full, collector, merged: 0 };
    let spares = Spares { full: full_out, empty: empty_in };
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

    /// Ends the current interval at `end_ns` and starts the given one. Where the collector has kept all tallies, the
    /// current one goes on and simply covers both.
    pub fn turn(&mut self, end_ns: u64, phase: Phase, interval: u64) {
        self.current.end_ns = end_ns;
        let mut next = self.empty.pop().ok();
        if next.is_none() && phase != self.current.phase {
            next = self.reserve.take();
        }
        let Some(mut next) = next else {
            assert_eq!(phase, self.current.phase, "warm-up changes into measuring once, and the reserve is for that");
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

    /// Ends the last interval: the tally that was in use, and how often intervals had to be added together. One that was
    /// ended before it began has no length.
    #[must_use]
    pub fn finish(mut self, end_ns: u64) -> (Box<Tally>, u64) {
        self.current.end_ns = end_ns.max(self.current.start_ns);
        self.current.close();
        (self.current, self.merged)
    }
}

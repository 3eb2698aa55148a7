//! Adds the workers' tallies together, interval by interval.

use std::collections::VecDeque;

use crate::record::{Phase, Tally};
use crate::worker::Spares;

struct Source {
    spares: Spares,
    waiting: VecDeque<Box<Tally>>,
}

/// Tallies on their way from workers to events.
pub struct Collector {
    sources: Vec<Source>,
}

impl Collector {
    /// A collector for these workers.
    #[must_use]
    pub fn new(spares: Vec<Spares>) -> Self {
        let sources = spares.into_iter().map(|spares| Source { spares, waiting: VecDeque::new() });
        Self { sources: sources.collect() }
    }

    /// Takes what the workers have handed over.
    pub fn gather(&mut self) {
        for source in &mut self.sources {
            while let Ok(tally) = source.spares.full.pop() {
                source.waiting.push_back(tally);
            }
        }
    }

    /// The next stretch of time that all workers have reported, added up over them; None while one of them lacks.
    pub fn next(&mut self) -> Option<Tally> {
        let mut goal =
            self.sources.iter().map(|source| source.waiting.front().map(|tally| tally.interval_last)).max()??;
        loop {
            // A worker that had to add intervals together may end later than the others: all go on to its end.
            let reached: Option<Vec<u64>> = self
                .sources
                .iter()
                .map(|source| source.waiting.iter().map(|tally| tally.interval_last).find(|last| *last >= goal))
                .collect();
            let latest = reached?.into_iter().max()?;
            if latest == goal {
                return self.take(|tally| tally.interval_last <= goal);
            }
            goal = latest;
        }
    }

    /// All that is left of a phase once every worker has ended; workers that were stopped end where they happen to be.
    pub fn rest(&mut self, phase: Phase) -> Option<Tally> {
        self.take(|tally| tally.phase == phase)
    }

    /// Adds a worker's last tally.
    pub fn add_last(&mut self, worker: usize, tally: Box<Tally>) {
        self.gather();
        self.sources[worker].waiting.push_back(tally);
    }

    fn take(&mut self, wanted: impl Fn(&Tally) -> bool) -> Option<Tally> {
        let mut sum: Option<Tally> = None;
        for source in &mut self.sources {
            while source.waiting.front().is_some_and(|tally| wanted(tally)) {
                let tally = source.waiting.pop_front()?;
                match &mut sum {
                    Some(sum) => sum.add(&tally),
                    None => sum = Some((*tally).clone()),
                }
                source.spares.give_back(tally);
            }
        }
        sum
    }
}

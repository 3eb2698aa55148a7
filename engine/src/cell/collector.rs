//! Adds the workers' tallies together, interval by interval.

use std::collections::VecDeque;

use super::result::TargetShare;
use crate::record::{Phase, Tally};
use crate::worker::Spares;

struct Source {
    spares: Spares,
    waiting: VecDeque<Box<Tally>>,
    // Nothing comes any more: the others don't wait for it.
    ended: bool,
}

impl Source {
    // The first end of a tally at or behind a goal; a worker that has ended is wherever it has to be.
    fn reaches(&self, goal: u64) -> Option<u64> {
        let found = self.waiting.iter().map(|tally| tally.interval_last).find(|last| *last >= goal);
        if self.ended { Some(found.unwrap_or(goal)) } else { found }
    }
}

/// Tallies on their way from workers to events.
pub struct Collector {
    sources: Vec<Source>,
    // How many workers in a row are on the same target.
    workers_each: usize,
    shares: Vec<TargetShare>,
}

impl Collector {
    /// A collector for these workers, of which `workers_each` in a row are on the same target.
    #[must_use]
    pub fn new(spares: Vec<Spares>, workers_each: usize) -> Self {
        let sources: Vec<Source> =
            spares.into_iter().map(|spares| Source { spares, waiting: VecDeque::new(), ended: false }).collect();
        let targets = sources.len() / workers_each;
        Self { sources, workers_each, shares: vec![TargetShare::default(); targets] }
    }

    /// What each target has given while it was measured.
    #[must_use]
    pub fn shares(&self) -> &[TargetShare] {
        &self.shares
    }

    /// Takes what the workers have handed over; true if there was anything.
    pub fn gather(&mut self) -> bool {
        let mut is_heard = false;
        for source in &mut self.sources {
            while let Ok(tally) = source.spares.full.pop() {
                source.waiting.push_back(tally);
                is_heard = true;
            }
        }
        is_heard
    }

    /// The next stretch of time that all workers have reported, added up over them; None while one of them lacks. Workers
    /// that have ended are not waited for.
    pub fn take_next(&mut self) -> Option<Tally> {
        let live = self.sources.iter().filter(|source| !source.ended);
        let first = live.filter_map(|source| source.waiting.front()).max_by_key(|tally| tally.interval_last)?;
        let (mut goal, phase) = (first.interval_last, first.phase);
        loop {
            // A worker that had to add intervals together may end later than the others: all go on to its end.
            let reached: Option<Vec<u64>> = self.sources.iter().map(|source| source.reaches(goal)).collect();
            let latest = reached?.into_iter().max()?;
            if latest == goal {
                return self.take(|tally| tally.interval_last <= goal && tally.phase == phase);
            }
            goal = latest;
        }
    }

    /// All that is left of a phase once every worker has ended; workers that were stopped end where they happen to be.
    pub fn rest(&mut self, phase: Phase) -> Option<Tally> {
        self.take(|tally| tally.phase == phase)
    }

    /// Adds the last tally of a worker that has ended.
    pub fn add_last(&mut self, worker: usize, tally: Box<Tally>) {
        self.gather();
        self.sources[worker].waiting.push_back(tally);
        self.sources[worker].ended = true;
    }

    fn take(&mut self, wanted: impl Fn(&Tally) -> bool) -> Option<Tally> {
        let mut sum: Option<Tally> = None;
        for (worker, source) in self.sources.iter_mut().enumerate() {
            while source.waiting.front().is_some_and(|tally| wanted(tally)) {
                let tally = source.waiting.pop_front()?;
                self.shares[worker / self.workers_each].add(&tally);
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

//! Sums the workers' tallies, interval by interval.

use std::collections::VecDeque;

use super::result::TargetShare;
use crate::record::{Phase, Tally};
use crate::worker::TallyReceiver;

struct Source {
    spares: TallyReceiver,
    waiting: VecDeque<Box<Tally>>,
    // The number of operations completed after the end of the job, as of the last `gather`.
    drained: u64,
    // The last interval of this source that was added to the sum.
    reached: Option<u64>,
    // The worker has sent its last tally, so the others no longer wait for it.
    ended: bool,
}

// The time span being summed. Every worker has to reach its end.
struct Goal {
    interval_last: u64,
    phase: Phase,
    sum: Option<Tally>,
}

impl Goal {
    // Whether a tally begins before the end of the goal. A merged tally may also end after it.
    fn is_passed_by(&self, tally: &Tally) -> bool {
        tally.phase == self.phase && tally.interval_first <= self.interval_last
    }
}

/// Receives the workers' tallies and sums them for the interval events.
pub struct Collector {
    sources: Vec<Source>,
    goal: Option<Goal>,
    // The number of consecutive workers on the same target.
    workers_each: usize,
    shares: Vec<TargetShare>,
}

impl Collector {
    /// A collector for these workers. Each group of `workers_each` consecutive workers shares a target.
    #[must_use]
    pub fn new(spares: Vec<TallyReceiver>, workers_each: usize) -> Self {
        let source = |spares| Source { spares, waiting: VecDeque::new(), drained: 0, reached: None, ended: false };
        let sources: Vec<Source> = spares.into_iter().map(source).collect();
        let targets = sources.len() / workers_each;
        Self { sources, goal: None, workers_each, shares: vec![TargetShare::default(); targets] }
    }

    /// Totals of each target over the measurement time.
    #[must_use]
    pub fn shares(&self) -> &[TargetShare] {
        &self.shares
    }

    /// Receives the tallies that workers have sent. Returns true if there were any, or if more operations have
    /// completed after the end of the job.
    pub fn gather(&mut self) -> bool {
        let mut has_news = false;
        for source in &mut self.sources {
            while let Ok(tally) = source.spares.full.pop() {
                source.waiting.push_back(tally);
                has_news = true;
            }
            let drained = source.spares.drained();
            has_news |= drained != source.drained;
            source.drained = drained;
        }
        has_news
    }

    /// Returns the next time span that all workers have reported, summed over them; None while a report is
    /// missing. Workers that have ended are not waited for.
    ///
    /// Tallies are summed on arrival and returned to their workers immediately, because a worker may have no other
    /// tally left.
    pub fn take_next(&mut self) -> Option<Tally> {
        let live = self.sources.iter().filter(|source| !source.ended);
        let first = live.filter_map(|source| source.waiting.front()).max_by_key(|tally| tally.interval_last);
        let next = first.map(|tally| Goal { interval_last: tally.interval_last, phase: tally.phase, sum: None });
        let mut goal = self.goal.take().or(next)?;
        loop {
            let (phase, interval_last) = (goal.phase, goal.interval_last);
            self.add_to(&mut goal.sum, |tally| tally.phase == phase && tally.interval_last <= interval_last);
            // A merged tally may end later than the goal. The goal then moves to that end, for all workers.
            let fronts = self.sources.iter().filter_map(|source| source.waiting.front());
            let Some(later) = fronts.filter(|tally| goal.is_passed_by(tally)).map(|tally| tally.interval_last).max()
            else {
                break;
            };
            goal.interval_last = later;
        }
        if self.sources.iter().all(|source| source.ended || source.reached == Some(goal.interval_last)) {
            return goal.sum;
        }
        self.goal = Some(goal);
        None
    }

    /// The remainder of a phase after every worker has ended. Stopped workers end at different times.
    pub fn rest(&mut self, phase: Phase) -> Option<Tally> {
        let mut sum = self.goal.take_if(|goal| goal.phase == phase).and_then(|goal| goal.sum);
        self.add_to(&mut sum, |tally| tally.phase == phase);
        sum
    }

    /// Adds the final tally of a worker that has ended.
    pub fn add_last(&mut self, worker: usize, tally: Box<Tally>) {
        self.gather();
        self.sources[worker].waiting.push_back(tally);
        self.sources[worker].ended = true;
    }

    // Adds the matching tallies and returns them to their workers.
    fn add_to(&mut self, sum: &mut Option<Tally>, wanted: impl Fn(&Tally) -> bool) {
        for (worker, source) in self.sources.iter_mut().enumerate() {
            while source.waiting.front().is_some_and(|tally| wanted(tally)) {
                let Some(tally) = source.waiting.pop_front() else { break };
                self.shares[worker / self.workers_each].add(&tally);
                match sum {
                    Some(sum) => sum.add(&tally),
                    None => *sum = Some((*tally).clone()),
                }
                source.reached = Some(tally.interval_last);
                source.spares.recycle(tally);
            }
        }
    }
}

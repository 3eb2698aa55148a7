//! A hard disk: arm, platters, caches and command queue. It is deterministic: rotation follows from the time, and only
//! the angle at time zero is drawn from the seed.
//!
//! `model` has the parameters, `geometry` and `seek` positions and seek times, `cache` and `ahead` the write cache and
//! read-ahead, `reception` the processing of commands, and `elevator` the scheduling of the arm.

mod ahead;
mod cache;
mod command;
mod elevator;
mod geometry;
mod model;
mod reception;
mod seek;

use std::collections::VecDeque;

use self::ahead::ReadAhead;
use self::cache::{Run, WriteCache};
use self::command::{Command, Stage};
use self::elevator::Choice;
use self::geometry::Geometry;
use super::done::Done;
use super::{Health, Serve, Simulation, StateHash};
use crate::random::Random;
use crate::ring::Operation;

pub use model::DiskModel;

// What the arm does.
#[derive(Clone, Copy, Debug)]
enum Work {
    Command(Command),
    Run(Run),
}

#[derive(Clone, Copy, Debug)]
struct Busy {
    from_ns: u64,
    until_ns: u64,
    work: Work,
}

/// A disk.
#[derive(Clone, Debug)]
pub struct Disk {
    model: DiskModel,
    geometry: Geometry,
    phase_ns: u64,
    now_ns: u64,
    // The last track. During read-ahead, `ahead` knows the current one.
    track: u64,
    busy: Option<Busy>,
    // Since when no command has used the arm.
    idle_since_ns: u64,
    // Commands in the disk, and those outside for which its queue has no room.
    queue: Vec<Command>,
    outside: VecDeque<(u64, Serve)>,
    coming: usize,
    orders: u64,
    // When the interface is free.
    interface_free_ns: u64,
    cache: WriteCache,
    swept_bytes: u64,
    ahead: ReadAhead,
    // By time, then by order of arrival.
    done: Done,
    health: Health,
}

impl Disk {
    /// A disk with empty caches and the arm at the outermost track.
    #[must_use]
    pub fn new(model: &DiskModel, seed: u64) -> Self {
        let phase_ns = Random::new(seed).below(60_000_000_000 / u64::from(model.rotation_rpm));
        Self {
            geometry: Geometry::new(model, phase_ns),
            phase_ns,
            now_ns: 0,
            track: 0,
            busy: None,
            idle_since_ns: 0,
            queue: Vec::with_capacity(model.queue_depth as usize),
            outside: VecDeque::new(),
            coming: 0,
            orders: 0,
            interface_free_ns: 0,
            cache: WriteCache::new(model),
            swept_bytes: 0,
            ahead: ReadAhead::new(model),
            done: Done::default(),
            health: Health::default(),
            model: model.clone(),
        }
    }

    // The time of the next event in the disk.
    #[inline]
    fn next_inside_ns(&self) -> u64 {
        let mut next_ns = self.busy.map_or(u64::MAX, |busy| busy.until_ns);
        if self.coming > 0 {
            let coming = self.queue.iter().filter(|command| command.stage == Stage::Coming);
            next_ns = coming.map(|command| command.ready_ns).fold(next_ns, u64::min);
        }
        if self.busy.is_none() {
            let held_until_ns = self.ahead.held_until_ns();
            if self.cache.is_dirty() {
                next_ns = next_ns.min(held_until_ns.max(self.idle_since_ns + self.model.destage_idle_ns));
            }
            // Commands that wait for the heads can get them then.
            if held_until_ns > self.now_ns {
                next_ns = next_ns.min(held_until_ns);
            }
        }
        next_ns
    }

    // Processes all events up to a time.
    #[inline]
    fn advance(&mut self, to_ns: u64) {
        loop {
            let next_ns = self.next_inside_ns();
            if next_ns > to_ns {
                break;
            }
            self.now_ns = self.now_ns.max(next_ns);
            if let Some(busy) = self.busy.filter(|busy| busy.until_ns <= self.now_ns) {
                self.finish(busy);
            }
            self.receive();
            self.start();
        }
        self.now_ns = to_ns;
    }

    // The arm has completed something.
    fn finish(&mut self, busy: Busy) {
        self.busy = None;
        match busy.work {
            Work::Command(command) => {
                self.idle_since_ns = self.now_ns;
                let end = command.end_bytes();
                self.track = self.geometry.end_of(end).track;
                if command.writes() {
                    self.health.media_written_bytes += u64::from(command.serve.length_bytes);
                    self.answer(&command, self.now_ns);
                } else {
                    self.ahead.go_on(&self.geometry, command.serve.offset_bytes, end, self.now_ns);
                    self.deliver(&command, busy.from_ns);
                }
                self.let_in();
            }
            Work::Run(run) => {
                let end = run.offset_bytes + run.length_bytes;
                self.track = self.geometry.end_of(end).track;
                self.swept_bytes = end;
                self.health.media_written_bytes += run.length_bytes;
                self.cache.finish_run();
                self.admit();
                self.end_flushes();
            }
        }
    }

    // Starts the next work if the arm is idle.
    #[inline]
    fn start(&mut self) {
        if self.busy.is_some() {
            return;
        }
        let Some((choice, from_ns, until_ns)) = self.choose() else { return };
        let work = match choice {
            Choice::Command(number) => {
                let command = self.queue.swap_remove(number);
                let is_ahead = !command.writes() && self.ahead.covers(command.serve.offset_bytes, command.end_bytes());
                if !is_ahead {
                    self.leave();
                }
                Work::Command(command)
            }
            Choice::Stretch(offset_bytes) => {
                self.leave();
                Work::Run(self.cache.take_run(offset_bytes))
            }
        };
        let until_ns = match work {
            Work::Command(_) => until_ns,
            Work::Run(run) => from_ns + self.media_ns(run.offset_bytes, run.offset_bytes + run.length_bytes),
        };
        self.busy = Some(Busy { from_ns, until_ns, work });
    }

    // Ends read-ahead.
    fn leave(&mut self) {
        if let Some(reached) = self.ahead.reached(&self.geometry, self.now_ns) {
            self.track = self.geometry.end_of(reached).track;
            self.ahead.stop(reached);
        }
    }

    // The track under the heads.
    fn here(&self) -> u64 {
        let reached = self.ahead.reached(&self.geometry, self.now_ns);
        reached.map_or(self.track, |reached| self.geometry.end_of(reached).track)
    }

    // The time in which a range passes under the heads.
    fn media_ns(&self, offset: u64, end: u64) -> u64 {
        self.geometry.end_of(end).media_ns - self.geometry.start_of(offset).media_ns
    }
}

impl Simulation for Disk {
    fn size_bytes(&self) -> u64 {
        self.model.size_bytes
    }

    #[inline]
    fn submit(&mut self, now_ns: u64, ticket: u64, serve: &Serve) {
        self.advance(now_ns);
        let bytes = u64::from(serve.length_bytes);
        match serve.operation {
            Operation::Read => self.health.host_read_bytes += bytes,
            Operation::Write | Operation::WriteDsync => self.health.host_written_bytes += bytes,
            Operation::Trim | Operation::Flush => {}
        }
        if self.is_free() {
            self.enter(ticket, serve);
        } else {
            self.outside.push_back((ticket, *serve));
        }
    }

    #[inline]
    fn next_ns(&self) -> u64 {
        let done_ns = self.done.next_ns();
        let serves = matches!(self.busy, Some(Busy { work: Work::Command(_), .. }));
        // Background work alone is invisible to the host.
        if serves || !self.queue.is_empty() { done_ns.min(self.next_inside_ns()) } else { done_ns }
    }

    #[inline]
    fn take_done(&mut self, now_ns: u64) -> Option<(u64, i32)> {
        self.advance(now_ns);
        self.done.take(now_ns)
    }

    fn health(&self) -> Health {
        self.health
    }

    fn state_hash(&self) -> u64 {
        let mut hash = StateHash::default();
        let busy = self.busy.map_or([0, 0], |busy| [busy.from_ns, busy.until_ns]);
        let state = [self.phase_ns, self.now_ns, self.track, self.idle_since_ns, self.interface_free_ns];
        state.into_iter().chain(busy).chain([self.swept_bytes]).for_each(|word| hash.add(word));
        let waiting = self.queue.iter().map(|command| (command.serve, command.ready_ns));
        for (serve, ready_ns) in waiting.chain(self.outside.iter().map(|(_, serve)| (*serve, u64::MAX))) {
            hash.add_all([serve.offset_bytes, serve.length_bytes.into(), ready_ns]);
        }
        self.cache.add_to(&mut hash);
        self.ahead.add_to(&mut hash);
        hash.value()
    }

    fn format(&mut self, now_ns: u64) {
        self.advance(now_ns);
        self.cache = WriteCache::new(&self.model);
        self.ahead.clear();
        self.busy = None;
        self.idle_since_ns = now_ns;
        self.swept_bytes = 0;
    }
}

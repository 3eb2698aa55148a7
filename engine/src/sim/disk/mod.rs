//! A hard disk: arm, platters, caches and command queue. It is deterministic: the angle of the platters depends only on
//! the time, and the angle at time zero is drawn from the seed.
//!
//! The modules: `model` (parameters), `geometry` and `seek` (positions and seek times), `cache` (write cache),
//! `read_ahead` (read cache), `interface` (processing of commands), and `elevator` (scheduling of the arm).

mod cache;
mod command;
mod elevator;
mod geometry;
mod interface;
mod model;
mod read_ahead;
mod seek;

use std::collections::VecDeque;

use self::cache::{Run, WriteCache};
use self::command::{Command, Stage};
use self::elevator::Choice;
use self::geometry::Geometry;
use self::read_ahead::ReadAhead;
use super::completions::CompletionQueue;
use super::{Health, IoCommand, Simulation, StateHash};
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
    // The track of the last access. During read-ahead, the current track follows from `read_ahead`.
    track: u64,
    busy: Option<Busy>,
    // Since when no command has used the arm.
    idle_since_ns: u64,
    // Commands in the disk's queue, and commands that wait in the host because the queue is full.
    queue: Vec<Command>,
    waiting: VecDeque<(u64, IoCommand)>,
    arriving: usize,
    orders: u64,
    // When the interface is free.
    interface_free_ns: u64,
    cache: WriteCache,
    destaged_to_bytes: u64,
    read_ahead: ReadAhead,
    // Completed commands that were not reaped yet.
    completions: CompletionQueue,
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
            waiting: VecDeque::new(),
            arriving: 0,
            orders: 0,
            interface_free_ns: 0,
            cache: WriteCache::new(model),
            destaged_to_bytes: 0,
            read_ahead: ReadAhead::new(model),
            completions: CompletionQueue::default(),
            health: Health::default(),
            model: model.clone(),
        }
    }

    // The time of the next event in the disk.
    #[inline]
    fn next_inside_ns(&self) -> u64 {
        let mut next_ns = self.busy.map_or(u64::MAX, |busy| busy.until_ns);
        if self.arriving > 0 {
            let arriving = self.queue.iter().filter(|command| command.stage == Stage::Arriving);
            next_ns = arriving.map(|command| command.ready_ns).fold(next_ns, u64::min);
        }
        if self.busy.is_none() {
            let held_until_ns = self.read_ahead.held_until_ns();
            if self.cache.is_dirty() {
                next_ns = next_ns.min(held_until_ns.max(self.idle_since_ns + self.model.destage_idle_ns));
            }
            // From this time on, the heads are available to waiting commands.
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

    // Completes the work of the arm.
    fn finish(&mut self, busy: Busy) {
        self.busy = None;
        match busy.work {
            Work::Command(command) => {
                self.idle_since_ns = self.now_ns;
                let end = command.end_bytes();
                self.track = self.geometry.end_of(end).track;
                if command.writes() {
                    self.health.media_written_bytes += u64::from(command.io.length_bytes);
                    self.finish_command(&command, self.now_ns);
                } else {
                    self.read_ahead.start_at(&self.geometry, command.io.offset_bytes, end, self.now_ns);
                    self.deliver(&command, busy.from_ns);
                }
                self.accept_waiting();
            }
            Work::Run(run) => {
                let end = run.offset_bytes + run.length_bytes;
                self.track = self.geometry.end_of(end).track;
                self.destaged_to_bytes = end;
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
                let is_ahead =
                    !command.writes() && self.read_ahead.covers(command.io.offset_bytes, command.end_bytes());
                if !is_ahead {
                    self.stop_read_ahead();
                }
                Work::Command(command)
            }
            Choice::Extent(offset_bytes) => {
                self.stop_read_ahead();
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
    fn stop_read_ahead(&mut self) {
        if let Some(reached) = self.read_ahead.reached(&self.geometry, self.now_ns) {
            self.track = self.geometry.end_of(reached).track;
            self.read_ahead.stop(reached);
        }
    }

    // The track under the heads.
    fn current_track(&self) -> u64 {
        let reached = self.read_ahead.reached(&self.geometry, self.now_ns);
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
    fn submit(&mut self, now_ns: u64, tag: u64, io: &IoCommand) {
        self.advance(now_ns);
        let bytes = u64::from(io.length_bytes);
        match io.operation {
            Operation::Read => self.health.host_read_bytes += bytes,
            Operation::Write | Operation::WriteDsync => self.health.host_written_bytes += bytes,
            Operation::Trim | Operation::Flush => {}
        }
        if self.is_free() {
            self.accept(tag, io);
        } else {
            self.waiting.push_back((tag, *io));
        }
    }

    #[inline]
    fn next_ns(&self) -> u64 {
        let done_ns = self.completions.next_ns();
        let serves = matches!(self.busy, Some(Busy { work: Work::Command(_), .. }));
        // Background work alone is invisible to the host.
        if serves || !self.queue.is_empty() { done_ns.min(self.next_inside_ns()) } else { done_ns }
    }

    #[inline]
    fn take_completion(&mut self, now_ns: u64) -> Option<(u64, i32)> {
        self.advance(now_ns);
        self.completions.take(now_ns)
    }

    fn health(&self) -> Health {
        self.health
    }

    fn state_hash(&self) -> u64 {
        let mut hash = StateHash::default();
        let busy = self.busy.map_or([0, 0], |busy| [busy.from_ns, busy.until_ns]);
        let state = [self.phase_ns, self.now_ns, self.track, self.idle_since_ns, self.interface_free_ns];
        state.into_iter().chain(busy).chain([self.destaged_to_bytes]).for_each(|word| hash.add(word));
        let waiting = self.queue.iter().map(|command| (command.io, command.ready_ns));
        for (io, ready_ns) in waiting.chain(self.waiting.iter().map(|(_, io)| (*io, u64::MAX))) {
            hash.add_all([io.offset_bytes, io.length_bytes.into(), ready_ns]);
        }
        self.cache.add_to(&mut hash);
        self.read_ahead.add_to(&mut hash);
        hash.value()
    }

    fn format(&mut self, now_ns: u64) {
        self.advance(now_ns);
        self.cache = WriteCache::new(&self.model);
        self.read_ahead.clear();
        self.busy = None;
        self.idle_since_ns = now_ns;
        self.destaged_to_bytes = 0;
    }
}

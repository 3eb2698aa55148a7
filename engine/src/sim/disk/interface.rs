//! Command processing: transfer over the interface, and service from the caches if no media access is needed.

use super::command::{Command, Stage};
use super::{Busy, Disk, Work};
use crate::ring::Operation;
use crate::sim::IoCommand;

impl Disk {
    pub(super) fn is_free(&self) -> bool {
        let served = matches!(self.busy, Some(Busy { work: Work::Command(_), .. }));
        self.queue.len() + usize::from(served) < self.model.queue_depth as usize
    }

    // Accepts a command into the queue.
    pub(super) fn accept(&mut self, tag: u64, io: &IoCommand) {
        let mut ready_ns = self.now_ns + self.model.command_ns;
        if matches!(io.operation, Operation::Write | Operation::WriteDsync) {
            ready_ns = ready_ns.max(self.interface_free_ns) + self.model.transfer_ns(io.length_bytes);
            self.interface_free_ns = ready_ns;
        }
        self.orders += 1;
        self.arriving += 1;
        self.queue.push(Command {
            tag,
            io: *io,
            position: self.geometry.start_of(io.offset_bytes),
            arrived_ns: self.now_ns,
            order: self.orders,
            ready_ns,
            stage: Stage::Arriving,
        });
    }

    pub(super) fn finish_command(&mut self, command: &Command, done_ns: u64) {
        let result = command.io.length_bytes.cast_signed();
        self.completions.push(done_ns, command.order, command.tag, result);
    }

    // Transfers the data of a read to the host. The first byte was available at `from_ns`, the last one is available
    // now.
    pub(super) fn deliver(&mut self, command: &Command, from_ns: u64) {
        let begun_ns = from_ns.max(self.interface_free_ns);
        let done_ns = self.now_ns.max(begun_ns + self.model.transfer_ns(command.io.length_bytes));
        self.interface_free_ns = done_ns;
        self.finish_command(command, done_ns);
    }

    // Accepts commands that wait outside, while there is room.
    pub(super) fn accept_waiting(&mut self) {
        while self.is_free()
            && let Some((tag, io)) = self.waiting.pop_front()
        {
            self.accept(tag, &io);
        }
    }

    // Processes each command that is ready. Completes those that need no media access.
    pub(super) fn receive(&mut self) {
        while self.arriving > 0 {
            let ready = self
                .queue
                .iter()
                .enumerate()
                .filter(|(_, command)| command.stage == Stage::Arriving && command.ready_ns <= self.now_ns);
            let Some((number, _)) = ready.min_by_key(|(_, command)| (command.ready_ns, command.order)) else { return };
            self.arriving -= 1;
            let command = self.queue[number];
            let length = u64::from(command.io.length_bytes);
            let stage = match command.io.operation {
                Operation::Read => self.read(&command),
                Operation::Write if self.cache.takes(length) => Some(Stage::Room),
                Operation::Write | Operation::WriteDsync => {
                    self.cache.subtract(command.io.offset_bytes, length);
                    Some(Stage::Media)
                }
                // A disk with conventional recording (no SMR) ignores trims.
                Operation::Trim => {
                    self.completions.push(self.now_ns, command.order, command.tag, 0);
                    None
                }
                Operation::Flush => Some(Stage::Flushing(self.cache.begin_flush())),
            };
            let Some(stage) = stage else {
                self.queue.swap_remove(number);
                self.accept_waiting();
                continue;
            };
            self.queue[number].stage = stage;
            match stage {
                Stage::Room => self.admit(),
                Stage::Flushing(_) => self.end_flushes(),
                Stage::Arriving | Stage::Media => {}
            }
        }
    }

    // Serves a read from a cache if it hits. Any other read has to wait for the heads.
    fn read(&mut self, command: &Command) -> Option<Stage> {
        let (offset, end) = (command.io.offset_bytes, command.end_bytes());
        if self.cache.holds(offset, end - offset) {
            self.deliver(command, self.now_ns);
            return None;
        }
        if self.read_ahead.hit(&self.geometry, offset, end, self.now_ns) {
            self.deliver(command, self.now_ns);
            return None;
        }
        Some(Stage::Media)
    }

    // Moves waiting writes into the cache in order of arrival, while there is room.
    pub(super) fn admit(&mut self) {
        loop {
            let waiting = self.queue.iter().enumerate().filter(|(_, command)| command.stage == Stage::Room);
            let Some((number, _)) = waiting.min_by_key(|(_, command)| command.order) else { return };
            let IoCommand { offset_bytes, length_bytes, .. } = self.queue[number].io;
            if !self.cache.has_room(offset_bytes, length_bytes.into()) {
                return;
            }
            self.cache.put(offset_bytes, length_bytes.into());
            let command = self.queue.swap_remove(number);
            self.finish_command(&command, self.now_ns);
            self.accept_waiting();
        }
    }

    pub(super) fn end_flushes(&mut self) {
        let clean = |command: &Command| match command.stage {
            Stage::Flushing(generation) => self.cache.is_clean(generation),
            _ => false,
        };
        while let Some(number) = self.queue.iter().position(clean) {
            let command = self.queue.swap_remove(number);
            self.completions.push(self.now_ns, command.order, command.tag, 0);
        }
        self.accept_waiting();
    }
}

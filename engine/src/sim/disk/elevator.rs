//! Scheduling of the arm: shortest positioning time first, with seek and rotation.

use super::Disk;
use super::command::{Command, Stage};

/// The selected work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A command, by its index in the queue.
    Command(usize),
    /// An extent of the write cache, by its offset.
    Extent(u64),
}

impl Disk {
    /// Selects the next work. Returns it with the times at which its first byte reaches a head and its last byte has
    /// passed the head.
    pub(super) fn choose(&self) -> Option<(Choice, u64, u64)> {
        if self.queue.is_empty() && !self.cache.is_dirty() {
            return None;
        }
        let here = self.current_track();
        if self.now_ns < self.read_ahead.held_until_ns() {
            return self.nearest_command(here, |command| {
                !command.writes() && self.read_ahead.covers(command.io.offset_bytes, command.end_bytes())
            });
        }
        // A command that has waited too long goes first. If it waits for room in the cache, an extent is written
        // instead.
        let oldest = self.queue.iter().enumerate().filter(|(_, command)| command.stage != Stage::Arriving);
        let oldest = oldest.min_by_key(|(_, command)| command.order);
        let overdue = oldest.filter(|(_, command)| self.now_ns - command.arrived_ns > self.model.queue_age_ns_max);
        let extents = |disk: &Self| disk.nearest_extent(here);
        match overdue {
            Some((number, command)) if command.stage == Stage::Media => return Some(self.timed(number, command, here)),
            Some(_) if self.cache.is_dirty() => return extents(self),
            _ => {}
        }
        let nearest = self.nearest_command(here, |_| true);
        if nearest.is_some() && !self.must_destage() {
            return nearest;
        }
        let rested = self.now_ns >= self.idle_since_ns + self.model.destage_idle_ns;
        if !self.cache.is_dirty() || !(rested || self.must_destage()) {
            return nearest;
        }
        nearest.into_iter().chain(extents(self)).min_by_key(|(_, from_ns, _)| *from_ns)
    }

    // Whether the cache has to be destaged even though commands wait.
    fn must_destage(&self) -> bool {
        self.cache.is_over_half_full()
            || self.queue.iter().any(|command| matches!(command.stage, Stage::Room | Stage::Flushing(_)))
    }

    // The eligible command with the shortest positioning time.
    #[inline]
    fn nearest_command(&self, here: u64, may: impl Fn(&Command) -> bool) -> Option<(Choice, u64, u64)> {
        let media = self.queue.iter().enumerate().filter(|(_, command)| command.stage == Stage::Media && may(command));
        let timed = media.map(|(number, command)| self.timed(number, command, here));
        timed.min_by_key(|(choice, from_ns, _)| (*from_ns, self.order(*choice)))
    }

    fn order(&self, choice: Choice) -> u64 {
        match choice {
            Choice::Command(number) => self.queue[number].order,
            Choice::Extent(_) => u64::MAX,
        }
    }

    #[inline]
    fn timed(&self, number: usize, command: &Command, here: u64) -> (Choice, u64, u64) {
        let (offset, end) = (command.io.offset_bytes, command.end_bytes());
        if !command.writes()
            && let Some(read_by_ns) = self.read_ahead.read_by_ns(&self.geometry, offset, end)
        {
            return (Choice::Command(number), self.now_ns, read_by_ns.max(self.now_ns));
        }
        let positioning_ns = self.geometry.positioning_ns(here, self.now_ns, &command.position, command.writes());
        let from_ns = self.now_ns + positioning_ns;
        (Choice::Command(number), from_ns, from_ns + self.geometry.end_of(end).media_ns - command.position.media_ns)
    }

    fn nearest_extent(&self, here: u64) -> Option<(Choice, u64, u64)> {
        let timed = self.cache.window(self.destaged_to_bytes).map(|offset| {
            let position = self.geometry.start_of(offset);
            let from_ns = self.now_ns + self.geometry.positioning_ns(here, self.now_ns, &position, true);
            (Choice::Extent(offset), from_ns, from_ns)
        });
        timed.min_by_key(|(_, from_ns, _)| *from_ns)
    }
}

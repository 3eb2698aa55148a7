//! The ledger: which write each step of a target should hold.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FallocateFlags, fallocate, fstat, major, minor};

use super::ledger_file::{self, unusable};
use super::sector::SECTOR_BYTES;
use crate::failure::{Failure, FailureKind};
use crate::host::memory_bytes_free;
use crate::memory::{PAGE_BYTES, Region};
use crate::watchdog::{ProgressSource, waiting_for};

/// The first word of a ledger file: `iosonde` and the format version.
const MAGIC: u64 = u64::from_le_bytes(*b"iosonde\x01");
/// Header words: magic, run, step, size of the target, next sequence number.
const HEAD_WORDS: usize = 5;
/// The bits of a word that count operations in flight on its step.
const COUNT_BITS: u32 = 20;
/// Whether operations in flight ever overlapped.
const OVERLAPPED: u64 = 1 << COUNT_BITS;
const COUNT: u64 = OVERLAPPED - 1;
const SEQUENCE_SHIFT: u32 = COUNT_BITS + 1;
/// The first sequence number of each session is a multiple of this. If a power cut loses the last numbers of a session,
/// later writes still have different ones.
const SESSION_NUMBERS: u64 = 1 << 34;
/// The end of the sequence numbers.
const SEQUENCES_MAX: u64 = 1 << (64 - SEQUENCE_SHIFT);
/// The maximum number of operations in flight.
pub const IN_FLIGHT_MAX: u32 = 65_536;
/// The maximum number of steps: their words take 1 GiB.
pub const STEPS_MAX: u64 = 1 << 27;
/// The largest step: no block is larger, and a verify pass reads whole steps into memory.
pub const STEP_BYTES_MAX: u64 = 64 << 20;

/// The parameters of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerHead {
    /// The number of the run and target.
    pub run: u64,
    /// The unit of verification, which divides every block size.
    pub step_bytes: u64,
    /// The size of the target.
    pub size_bytes: u64,
}

/// For each step of a target: the sequence number of the write that it must hold, or a later one; 0 if it may hold
/// anything.
///
/// A write gets its number when it starts. The number is stored for the step when the write has completed without
/// error, unless another operation on the step was in flight: of two overlapping writes, either may determine the
/// content of each sector. A write that fails or never completes does not change the stored number, so the step may
/// hold this write or the previous data. After a trim, a step may hold anything.
///
/// The words may be in a mapped file, which remains even if this process crashes.
#[derive(Debug)]
pub struct Ledger {
    head: LedgerHead,
    region: Region,
    is_file: bool,
    source: ProgressSource,
}

impl Ledger {
    /// A ledger in memory.
    pub fn in_memory(head: LedgerHead) -> Result<Self, Failure> {
        let ledger =
            Self { head, region: memory(checked_length(head)?)?, is_file: false, source: ProgressSource::None };
        ledger.begin();
        Ok(ledger)
    }

    /// A ledger in a file, which is created if it does not exist. An existing file must be of the same run and target.
    pub fn in_file(path: &Path, head: LedgerHead) -> Result<Self, Failure> {
        let length = checked_length(head)?;
        begin(path, ProgressSource::None);
        let (file, is_made) = ledger_file::open(path)?;
        begin(path, source_of(&file));
        let is_new = is_made || length_of(path, &file)? == 0;
        // Allocates space now, so that a full file system is an error here and not a SIGBUS on a later store.
        let allocate = || {
            let all = fallocate(&file, FallocateFlags::empty(), 0, length as u64);
            all.map_err(|error| unusable(path, &error.into()))
        };
        if is_new {
            allocate()?;
        } else {
            check_length(path, &file, length)?;
        }
        let region = Region::of_file(&file, length).map_err(|error| unusable(path, &error))?;
        let ledger = Self { head, region, is_file: true, source: source_of(&file) };
        if is_new {
            ledger.begin();
        } else {
            ledger.check(path, head)?;
            // A copy of a ledger file may have holes.
            allocate()?;
            ledger.begin_session(path)?;
        }
        ledger.flush()?;
        Ok(ledger)
    }

    /// A ledger that a run has left, read-only. It is copied into memory, so that later changes of the file cannot
    /// crash the engine.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        begin(path, ProgressSource::None);
        let file = ledger_file::read(path)?;
        begin(path, source_of(&file));
        if length_of(path, &file)? < PAGE_BYTES as u64 {
            return Err(no_ledger(path));
        }
        let mut first = [0; HEAD_WORDS * 8];
        file.read_exact_at(&mut first, 0).map_err(|error| unusable(path, &error))?;
        let word = |number: usize| u64::from_le_bytes(std::array::from_fn(|byte| first[number * 8 + byte]));
        if word(0) != MAGIC {
            return Err(no_ledger(path));
        }
        let head = LedgerHead { run: word(1), step_bytes: word(2), size_bytes: word(3) };
        let length = checked_length(head)?;
        check_length(path, &file, length)?;
        let region = memory(length)?;
        // SAFETY: the region has that many bytes, and no other references to it exist yet.
        let bytes = unsafe { std::slice::from_raw_parts_mut(region.start(), length) };
        file.read_exact_at(bytes, 0).map_err(|error| unusable(path, &error))?;
        Ok(Self { head, region, is_file: false, source: ProgressSource::None })
    }

    // Continues an existing ledger: clears the operations in flight, and skips sequence numbers.
    fn begin_session(&self, path: &Path) -> Result<(), Failure> {
        let next = self.word(4).load(Ordering::Relaxed);
        let first = (next / SESSION_NUMBERS + 1).saturating_mul(SESSION_NUMBERS);
        if first >= SEQUENCES_MAX - SESSION_NUMBERS {
            let message = format!("{} has no sequence numbers left", path.display());
            return Err(Failure::new(FailureKind::Ledger, message));
        }
        self.clear_in_flight();
        self.word(4).store(first, Ordering::Relaxed);
        Ok(())
    }

    fn begin(&self) {
        let LedgerHead { run, step_bytes, size_bytes } = self.head;
        for (number, word) in [MAGIC, run, step_bytes, size_bytes, 1].into_iter().enumerate() {
            self.word(number).store(word, Ordering::Relaxed);
        }
    }

    fn check(&self, path: &Path, head: LedgerHead) -> Result<(), Failure> {
        let found: [u64; HEAD_WORDS] = std::array::from_fn(|number| self.word(number).load(Ordering::Relaxed));
        if found[..4] == [MAGIC, head.run, head.step_bytes, head.size_bytes] {
            return Ok(());
        }
        Err(Failure::new(FailureKind::Ledger, format!("{} belongs to another run or target", path.display())))
    }

    /// Its parameters.
    #[must_use]
    pub fn head(&self) -> LedgerHead {
        self.head
    }

    /// The source of information about the kernel's progress on requests to its file.
    #[must_use]
    pub fn progress_source(&self) -> ProgressSource {
        self.source.clone()
    }

    /// The number of whole steps of the target. A remainder at the end is never written.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.head.size_bytes / self.head.step_bytes
    }

    /// Starts a write, and returns its sequence number.
    ///
    /// The number is taken last, so that all writes that have completed on these steps before have lower numbers.
    #[must_use]
    pub fn begin_write(&self, offset_bytes: u64, length_bytes: u32) -> u64 {
        for step in self.steps_of(offset_bytes, length_bytes) {
            self.change(step, |word| word.wrapping_add(1) | if word & COUNT > 0 { OVERLAPPED } else { 0 });
        }
        self.word(4).fetch_add(1, Ordering::AcqRel)
    }

    /// Starts a trim: the steps may hold anything until a later write completes without overlap.
    pub fn begin_trim(&self, offset_bytes: u64, length_bytes: u32) {
        for step in self.steps_of(offset_bytes, length_bytes) {
            self.change(step, |word| (word & COUNT).wrapping_add(1) | OVERLAPPED);
        }
    }

    /// Ends a write or a trim; `sequence` is the number of a successful write.
    pub fn end(&self, offset_bytes: u64, length_bytes: u32, sequence: Option<u64>) {
        for step in self.steps_of(offset_bytes, length_bytes) {
            self.change(step, |word| match (word & COUNT, word & OVERLAPPED, sequence) {
                // If a number does not fit, the previous one remains: a weaker but correct requirement.
                (1, 0, Some(sequence)) if sequence < SEQUENCES_MAX => sequence << SEQUENCE_SHIFT,
                (1, ..) => word & !(COUNT | OVERLAPPED),
                // Another process may have written any value to the file, so the subtraction may wrap.
                _ => word.wrapping_sub(1),
            });
        }
    }

    /// Resets the counts of operations in flight.
    pub fn clear_in_flight(&self) {
        for step in 0..self.steps() {
            self.step(step).fetch_and(!(COUNT | OVERLAPPED), Ordering::AcqRel);
        }
    }

    /// The sequence number that a step must hold, or a later one; 0 if it may hold anything.
    #[must_use]
    pub fn expected_sequence(&self, step: u64) -> u64 {
        self.step(step).load(Ordering::Acquire) >> SEQUENCE_SHIFT
    }

    /// Makes the ledger durable if it is in a file.
    pub fn flush(&self) -> Result<(), Failure> {
        if !self.is_file {
            return Ok(());
        }
        self.region.flush().map_err(|error| Failure::from_io(FailureKind::Ledger, "writing the ledger", &error))
    }

    fn change(&self, step: u64, to: impl Fn(u64) -> u64) {
        let word = self.step(step);
        let _ = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| Some(to(word)));
    }

    fn steps_of(&self, offset_bytes: u64, length_bytes: u32) -> std::ops::Range<u64> {
        let step_bytes = self.head.step_bytes;
        offset_bytes / step_bytes..(offset_bytes + u64::from(length_bytes)) / step_bytes
    }

    fn step(&self, step: u64) -> &AtomicU64 {
        assert!(step < self.steps(), "a step beyond the target");
        #[allow(clippy::cast_possible_truncation)] // Below STEPS_MAX.
        self.word(PAGE_BYTES / 8 + step as usize)
    }

    fn word(&self, number: usize) -> &AtomicU64 {
        assert!((number + 1) * 8 <= self.region.length(), "a word beyond the ledger");
        #[allow(clippy::cast_ptr_alignment)] // Mappings are page-aligned.
        let first = self.region.start().cast::<u64>();
        // SAFETY: the word is within the mapping, which is page-aligned and lives as long as the borrow; it is only
        // accessed as an atomic.
        unsafe { AtomicU64::from_ptr(first.add(number)) }
    }
}

fn begin(path: &Path, source: ProgressSource) {
    waiting_for(format!("opening the ledger {}", path.display()), source);
}

fn source_of(file: &File) -> ProgressSource {
    fstat(file).map_or(ProgressSource::None, |facts| ProgressSource::of(major(facts.st_dev), minor(facts.st_dev), None))
}

fn checked_length(head: LedgerHead) -> Result<usize, Failure> {
    let LedgerHead { step_bytes, size_bytes, .. } = head;
    if step_bytes == 0 || !step_bytes.is_multiple_of(SECTOR_BYTES as u64) {
        let message = format!("step_bytes {step_bytes} is not a multiple of {SECTOR_BYTES}");
        return Err(Failure::new(FailureKind::BadJob, message));
    }
    if step_bytes > STEP_BYTES_MAX {
        let message = format!("step_bytes {step_bytes} exceeds the maximum of {STEP_BYTES_MAX}");
        return Err(Failure::new(FailureKind::BadJob, message));
    }
    let steps = size_bytes / step_bytes;
    if steps == 0 || steps > STEPS_MAX {
        let message = format!(
            "a ledger of {steps} steps of {step_bytes} bytes is not possible; the range is 1 to {STEPS_MAX} steps"
        );
        return Err(Failure::new(FailureKind::BadJob, message));
    }
    Ok(PAGE_BYTES + usize::try_from(steps).expect("the number of steps has a bound") * 8)
}

fn length_of(path: &Path, file: &File) -> Result<u64, Failure> {
    Ok(file.metadata().map_err(|error| unusable(path, &error))?.len())
}

fn check_length(path: &Path, file: &File, length: usize) -> Result<(), Failure> {
    if length_of(path, file)? < length as u64 {
        return Err(Failure::new(FailureKind::Ledger, format!("{} is truncated", path.display())));
    }
    Ok(())
}

// Allocates a ledger, unless memory is short: the OOM killer would end a process that overcommits.
fn memory(length: usize) -> Result<Region, Failure> {
    let free = memory_bytes_free();
    if length as u64 > free {
        let message = format!("the ledger needs {length} bytes of memory, but {free} are free");
        return Err(Failure::new(FailureKind::EngineRefused, message));
    }
    Region::new(length)
        .map_err(|error| Failure::from_io(FailureKind::EngineRefused, "cannot allocate memory for the ledger", &error))
}

fn no_ledger(path: &Path) -> Failure {
    Failure::new(FailureKind::Ledger, format!("{} is not a ledger", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_that_does_not_fit_leaves_the_previous_one() {
        let head = LedgerHead { run: 1, step_bytes: 4096, size_bytes: 4096 };
        let ledger = Ledger::in_memory(head).expect("memory for a page");
        for number in [SEQUENCES_MAX - 1, SEQUENCES_MAX] {
            ledger.word(4).store(number, Ordering::Relaxed);
            let sequence = ledger.begin_write(0, 4096);
            ledger.end(0, 4096, Some(sequence));
            assert_eq!(ledger.expected_sequence(0), SEQUENCES_MAX - 1);
        }
    }
}

//! Verify pass: reads a target back and compares it with its ledger.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::failure::{Failure, FailureKind};
use crate::ring::Buffers;
use crate::target::Target;
use crate::verify::{Damage, DamageKind, Ledger, LedgerHead, check_step};
use crate::watchdog::{ProgressSource, made_progress, waiting_for};

/// Size of a read, unless a step is larger.
const READ_BYTES: u64 = 1 << 20;
/// Reader threads, so that checksums and reads overlap.
const THREADS: usize = 4;
/// Damaged steps listed for each kind, lowest offsets first.
const LISTED_MAX: usize = 20;
/// Interval between two progress reports.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// The result of reading a target back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Whether all of the target was read.
    pub finished: bool,
    /// Size of a step, the unit of verification.
    pub step_bytes: u64,
    /// Steps that had to hold a certain write.
    pub steps_checked: u64,
    /// Steps that may hold anything: not written by this run, or trimmed.
    pub steps_free: u64,
    /// Damaged steps by kind; kinds without any are omitted.
    pub damaged: BTreeMap<DamageKind, u64>,
    /// The first damaged steps of each kind, by offset.
    pub first: Vec<Damage>,
    /// Duration of the pass.
    pub duration_ns: u64,
}

impl Verification {
    fn note(&mut self, damage: Damage) {
        let count = self.damaged.entry(damage.kind).or_default();
        *count += 1;
        if *count <= LISTED_MAX as u64 {
            self.first.push(damage);
        }
    }

    // Each part lists its own first damaged steps, so the merged list contains the first steps of the whole target.
    fn add(&mut self, other: &Self) {
        self.steps_checked += other.steps_checked;
        self.steps_free += other.steps_free;
        for (kind, count) in &other.damaged {
            *self.damaged.entry(*kind).or_default() += count;
        }
        self.first.extend(&other.first);
        self.first.sort_by_key(|damage| (damage.offset_bytes, damage.kind));
        let mut listed = BTreeMap::<DamageKind, usize>::new();
        self.first.retain(|damage| {
            let count = listed.entry(damage.kind).or_default();
            *count += 1;
            *count <= LISTED_MAX
        });
    }
}

/// Reads back all of a target that its ledger covers. `progress` is called from time to time with the bytes read so
/// far.
pub fn verify(target: &Target, stop: &AtomicBool, progress: &mut dyn FnMut(u64)) -> Result<Verification, Failure> {
    let ledger = target.ledger.as_deref().ok_or_else(|| {
        Failure::new(FailureKind::BadJob, "the target was opened without a ledger and cannot be verified")
    })?;
    waiting_for(format!("checking {}", target.path().display()), ProgressSource::None);
    if let Some(change) = target.changed() {
        return Err(change);
    }
    if target.size_bytes < ledger.head().size_bytes {
        let (now, was) = (target.size_bytes, ledger.head().size_bytes);
        let message =
            format!("the size of {} is {now} bytes; it was {was} when the data was written", target.path().display());
        return Err(Failure::new(FailureKind::Changed, message));
    }
    target.drop_cached()?;
    let since = Instant::now();
    let (next_step, returned) = (AtomicU64::new(0), AtomicU64::new(0));
    waiting_for(format!("reading back {}", target.path().display()), ProgressSource::None);
    let mut sum = Verification { step_bytes: ledger.head().step_bytes, ..Verification::default() };
    scope(|scope| -> Result<(), Failure> {
        let part = || Reader::new(target, ledger, &returned).map(|reader| reader.read(&next_step, stop));
        let (mut parts, mut refused) = (Vec::with_capacity(THREADS), None);
        for _ in 0..THREADS {
            match Builder::new().name("reader".to_owned()).spawn_scoped(scope, part) {
                Ok(started) => parts.push(started),
                Err(error) => refused = Some(error),
            }
        }
        if let (true, Some(error)) = (parts.is_empty(), refused) {
            return Err(Failure::from_io(FailureKind::EngineRefused, "cannot start a read-back thread", &error));
        }
        let (mut reported, mut seen) = (Instant::now(), 0);
        while parts.iter().any(|part| !part.is_finished()) {
            std::thread::sleep(Duration::from_millis(2));
            let now = returned.load(Ordering::Relaxed);
            if std::mem::replace(&mut seen, now) != now {
                made_progress();
            }
            if reported.elapsed() >= PROGRESS_EVERY {
                reported = Instant::now();
                progress(next_step.load(Ordering::Relaxed).min(ledger.steps()) * sum.step_bytes);
            }
        }
        for part in parts {
            sum.add(&part.join().expect("a thread that panics aborts the engine")?);
        }
        Ok(())
    })?;
    sum.finished = sum.steps_checked + sum.steps_free == ledger.steps();
    sum.duration_ns = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
    Ok(sum)
}

// One reader thread of a pass, with its buffer.
struct Reader<'a> {
    target: &'a Target,
    ledger: &'a Ledger,
    buffers: Buffers,
    steps_each: u64,
    // Reads that returned, successful or not, of all threads.
    returned: &'a AtomicU64,
}

impl<'a> Reader<'a> {
    fn new(target: &'a Target, ledger: &'a Ledger, returned: &'a AtomicU64) -> Result<Self, Failure> {
        let step_bytes = ledger.head().step_bytes;
        let steps_each = (READ_BYTES / step_bytes).max(1);
        let length = usize::try_from(steps_each * step_bytes).unwrap_or(usize::MAX);
        let buffers = Buffers::new(length).map_err(|error| {
            Failure::from_io(FailureKind::EngineRefused, "cannot allocate the read-back buffers", &error)
        })?;
        Ok(Self { target, ledger, buffers, steps_each, returned })
    }

    fn read(mut self, next_step: &AtomicU64, stop: &AtomicBool) -> Verification {
        let mut found = Verification::default();
        while !stop.load(Ordering::Relaxed) {
            let first = next_step.fetch_add(self.steps_each, Ordering::Relaxed);
            let last = (first + self.steps_each).min(self.ledger.steps());
            if first >= last {
                break;
            }
            self.check(first, last, &mut found);
        }
        found
    }

    fn check(&mut self, first: u64, last: u64, found: &mut Verification) {
        let LedgerHead { run, step_bytes, .. } = self.ledger.head();
        let length = usize::try_from(step_bytes).unwrap_or(usize::MAX);
        let is_whole = self.fetch(first, last);
        for (number, step) in (first..last).enumerate() {
            let (offset_bytes, expected) = (step * step_bytes, self.ledger.expected_sequence(step));
            let counter = if expected > 0 { &mut found.steps_checked } else { &mut found.steps_free };
            *counter += 1;
            // If a large read fails, each step is read on its own, and only unreadable steps are damaged.
            let damage = if is_whole || self.fetch(step, step + 1) {
                let at = if is_whole { number * length } else { 0 };
                check_step(&self.buffers.bytes()[at..at + length], offset_bytes, run, expected)
            } else {
                (expected > 0).then(|| Damage::unreadable(offset_bytes, expected))
            };
            if let Some(damage) = damage {
                found.note(damage);
            }
        }
    }

    // Reads steps `first..last` to the start of the buffer. Returns false if they cannot all be read.
    fn fetch(&mut self, first: u64, last: u64) -> bool {
        let step_bytes = self.ledger.head().step_bytes;
        let length = usize::try_from((last - first) * step_bytes).unwrap_or(usize::MAX);
        let read = self.target.read_back(&mut self.buffers.bytes()[..length], first * step_bytes);
        self.returned.fetch_add(1, Ordering::Relaxed);
        read.is_ok()
    }
}

//! Looks whether targets are still what they were, while a job runs on them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle, park_timeout, sleep};
use std::time::{Duration, Instant};

use crate::failure::{Failure, FailureKind};
use crate::target::Target;

/// From one look to the next.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long the last look may take, before the target is taken for stuck.
const LAST_LOOK_MAX: Duration = Duration::from_secs(5);
/// How often it is asked whether the last look is done.
const ASK_EVERY: Duration = Duration::from_micros(50);

/// What the looks have found.
#[derive(Default)]
pub struct Watch {
    change: Mutex<Option<Failure>>,
    is_over: AtomicBool,
}

/// The thread that looks. A file system that does not answer holds up nobody but this thread.
pub struct Watcher<'scope> {
    watch: &'scope Watch,
    handle: Option<ScopedJoinHandle<'scope, ()>>,
}

impl<'scope> Watcher<'scope> {
    /// Begins to look at targets; where none is a file, there is nothing to look at. `stop` is set at the first change.
    pub fn start<'env: 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        watch: &'env Watch,
        targets: &'env [Target],
        stop: &'env AtomicBool,
    ) -> Result<Self, Failure> {
        if targets.iter().all(|target| target.file().is_none()) {
            return Ok(Self { watch, handle: None });
        }
        let look = move || {
            loop {
                let is_last = watch.is_over.load(Ordering::Acquire);
                if let Some(found) = targets.iter().find_map(Target::changed) {
                    *watch.change.lock().expect("nobody panics who has it") = Some(found);
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
                if is_last {
                    return;
                }
                park_timeout(LOOK_EVERY);
            }
        };
        let started = Builder::new().name("watcher".to_owned()).stack_size(256 << 10).spawn_scoped(scope, look);
        let handle = started
            .map_err(|error| Failure::from_io(FailureKind::EngineRefused, "a thread that watches targets", &error))?;
        Ok(Self { watch, handle: Some(handle) })
    }

    /// Looks once more, and says what has become of the targets; None where they are what they were.
    pub fn end(self) -> Option<Failure> {
        self.watch.is_over.store(true, Ordering::Release);
        let handle = self.handle?;
        handle.thread().unpark();
        let since = Instant::now();
        while !handle.is_finished() {
            if since.elapsed() > LAST_LOOK_MAX {
                let message = "the file system does not say any more what has become of the target";
                return Some(Failure::new(FailureKind::Stuck, message));
            }
            sleep(ASK_EVERY);
        }
        self.watch.change.lock().expect("nobody panics who has it").take()
    }
}

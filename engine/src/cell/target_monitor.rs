//! Checks while a job runs that its targets have not changed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle, park_timeout, sleep};
use std::time::{Duration, Instant};

use crate::failure::{Failure, FailureKind};
use crate::target::Target;

/// Interval between two checks.
const CHECK_EVERY: Duration = Duration::from_millis(20);
/// Time limit of the final check. A target that exceeds it is reported as stuck.
const FINAL_CHECK_MAX: Duration = Duration::from_secs(5);
/// Poll interval while waiting for the final check.
const QUERY_EVERY: Duration = Duration::from_micros(50);

/// The result of the checks.
#[derive(Default)]
pub struct MonitorState {
    change: Mutex<Option<Failure>>,
    is_over: AtomicBool,
}

/// The thread that checks. A file system that does not respond blocks only this thread.
pub struct TargetMonitor<'scope> {
    state: &'scope MonitorState,
    handle: Option<ScopedJoinHandle<'scope, ()>>,
}

impl<'scope> TargetMonitor<'scope> {
    /// Starts the checks, unless no target is a file or device. `stop` is set at the first change.
    pub fn start<'env: 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        state: &'env MonitorState,
        targets: &'env [Target],
        stop: &'env AtomicBool,
    ) -> Result<Self, Failure> {
        if targets.iter().all(|target| target.file().is_none()) {
            return Ok(Self { state, handle: None });
        }
        let check = move || {
            loop {
                let is_last = state.is_over.load(Ordering::Acquire);
                if let Some(found) = targets.iter().find_map(Target::changed) {
                    *state.change.lock().expect("no thread panics while holding the lock") = Some(found);
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
                if is_last {
                    return;
                }
                park_timeout(CHECK_EVERY);
            }
        };
        let started = Builder::new().name("watcher".to_owned()).stack_size(256 << 10).spawn_scoped(scope, check);
        let handle = started.map_err(|error| {
            Failure::from_io(FailureKind::EngineRefused, "cannot start the thread that monitors the targets", &error)
        })?;
        Ok(Self { state, handle: Some(handle) })
    }

    /// Waits for a final check. Returns the first change that was found, or None.
    pub fn end(self) -> Option<Failure> {
        self.state.is_over.store(true, Ordering::Release);
        let handle = self.handle?;
        handle.thread().unpark();
        let since = Instant::now();
        while !handle.is_finished() {
            if since.elapsed() > FINAL_CHECK_MAX {
                let message = "the file system did not respond to the final check of the target within 5 s";
                return Some(Failure::new(FailureKind::Stuck, message));
            }
            sleep(QUERY_EVERY);
        }
        self.state.change.lock().expect("no thread panics while holding the lock").take()
    }
}

//! Checks that go on while a job runs, each on a thread of its own: a check that does not return blocks only its thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle, park_timeout, sleep};
use std::time::{Duration, Instant};

use crate::failure::{Failure, FailureKind};

/// Time limit of the final check. A check that exceeds it is reported as stuck.
const FINAL_CHECK_MAX: Duration = Duration::from_secs(5);
/// Poll interval while waiting for the final check.
const QUERY_EVERY: Duration = Duration::from_micros(50);

/// The result of the checks.
#[derive(Default)]
pub struct MonitorState {
    found: Mutex<Option<Failure>>,
    is_over: AtomicBool,
}

/// What is checked.
pub struct Checks<F> {
    /// The name of the thread.
    pub name: &'static str,
    /// Interval between two checks.
    pub every: Duration,
    /// What did not respond if the final check does not return.
    pub silent: &'static str,
    /// The check: None if all is well.
    pub check: F,
}

/// The thread that checks.
pub struct Monitor<'scope> {
    state: &'scope MonitorState,
    handle: Option<ScopedJoinHandle<'scope, ()>>,
    silent: &'static str,
}

impl<'scope> Monitor<'scope> {
    /// Starts the checks; None has nothing to check. `stop` is set at the first failure.
    pub fn start<'env: 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        state: &'env MonitorState,
        checks: Option<Checks<impl Fn() -> Option<Failure> + Send + 'env>>,
        stop: &'env AtomicBool,
    ) -> Result<Self, Failure> {
        let Some(Checks { name, every, silent, check }) = checks else {
            return Ok(Self { state, handle: None, silent: "" });
        };
        let work = move || {
            loop {
                let is_last = state.is_over.load(Ordering::Acquire);
                if let Some(found) = check() {
                    *state.found.lock().expect("no thread panics while holding the lock") = Some(found);
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
                if is_last {
                    return;
                }
                park_timeout(every);
            }
        };
        let started = Builder::new().name(name.to_owned()).stack_size(256 << 10).spawn_scoped(scope, work);
        let handle = started.map_err(|error| {
            Failure::from_io(FailureKind::EngineRefused, &format!("cannot start the thread {name}"), &error)
        })?;
        Ok(Self { state, handle: Some(handle), silent })
    }

    /// Waits for a final check. Returns the first failure that was found, or None.
    pub fn end(self) -> Option<Failure> {
        self.state.is_over.store(true, Ordering::Release);
        let handle = self.handle?;
        handle.thread().unpark();
        let since = Instant::now();
        while !handle.is_finished() {
            if since.elapsed() > FINAL_CHECK_MAX {
                let seconds = FINAL_CHECK_MAX.as_secs();
                let message = format!("{} did not respond to the final check within {seconds} s", self.silent);
                return Some(Failure::new(FailureKind::Stuck, message));
            }
            sleep(QUERY_EVERY);
        }
        self.state.found.lock().expect("no thread panics while holding the lock").take()
    }
}

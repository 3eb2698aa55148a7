//! The watched thread.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::deadlines::{DeadlineWatch, Deadlines};
use super::wait_state::{SharedWaitState, clear, register};
use crate::failure::Failure;

/// Interval between two checks of the deadlines.
const CHECK_EVERY: Duration = Duration::from_millis(100);

type Work = Box<dyn FnOnce() + Send>;

/// A thread that executes pieces of work one after the other. After it was given up, it accepts no more work.
pub struct WatchedThread {
    work: SyncSender<Work>,
    state: SharedWaitState,
}

enum Message<S, T> {
    Event(S),
    Done(T),
}

impl WatchedThread {
    /// Starts the thread.
    pub fn start() -> io::Result<Self> {
        let (work, works) = sync_channel::<Work>(0);
        let state = SharedWaitState::default();
        let own = state.clone();
        Builder::new().name("targets".to_owned()).spawn(move || {
            register(own);
            for work in works {
                work();
            }
        })?;
        Ok(Self { work, state })
    }

    /// Executes work on the thread and waits until it is complete, within the deadlines. If `stop` is set, the work
    /// should end early. Messages of the work are passed to `on_message` in order, and the work waits meanwhile.
    /// `on_message` may abort with a failure.
    ///
    /// After a failure, the thread is given up, with everything that the work owns.
    pub fn run<S: Send + 'static, T: Send + 'static>(
        &self,
        deadlines: Deadlines,
        stop: &AtomicBool,
        work: impl FnOnce(&mut dyn FnMut(S)) -> T + Send + 'static,
        on_message: &mut dyn FnMut(S) -> ControlFlow<Failure>,
    ) -> Result<T, Failure> {
        let (sender, messages) = sync_channel(0);
        let whole = move || {
            // The receiver is gone if the work was given up.
            let done = work(&mut |event| drop(sender.send(Message::Event(event))));
            clear();
            drop(sender.send(Message::Done(done)));
        };
        self.work.send(Box::new(whole)).expect("the thread accepts work until it is given up");
        let mut watch = DeadlineWatch::new(deadlines);
        let mut checked = Instant::now();
        loop {
            match messages.recv_timeout(CHECK_EVERY) {
                Ok(Message::Done(done)) => return Ok(done),
                Ok(Message::Event(event)) => {
                    if let ControlFlow::Break(failure) = on_message(event) {
                        return Err(failure);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => panic!("a thread that panics aborts the engine"),
                Err(RecvTimeoutError::Timeout) => {
                    let state = self.state.lock().clone();
                    let is_stopped = stop.load(Ordering::Relaxed);
                    if let Some(failure) = watch.check(checked.elapsed(), &state, is_stopped, || state.source.read()) {
                        return Err(failure);
                    }
                    checked = Instant::now();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{ProgressSource, waiting_for};
    use super::*;
    use crate::failure::FailureKind;

    const SHORT: Deadlines = Deadlines {
        silent: Duration::from_millis(300),
        total: Duration::from_secs(60),
        stopped: Duration::from_millis(200),
    };

    // Blocks for ever, after announcing it.
    fn hang(_: &mut dyn FnMut(u32)) -> u32 {
        waiting_for("reading x", ProgressSource::None);
        loop {
            std::thread::park();
        }
    }

    #[test]
    fn work_that_ends_returns_its_result_and_its_messages_in_order() {
        let (thread, mut on_message) = (WatchedThread::start().expect("a thread"), Vec::new());
        let work = |say: &mut dyn FnMut(u32)| {
            waiting_for("counting", ProgressSource::None);
            (0..100).for_each(say);
            7
        };
        let given = thread.run(SHORT, &AtomicBool::new(false), work, &mut |event| {
            on_message.push(event);
            ControlFlow::Continue(())
        });
        assert_eq!((given, on_message), (Ok(7), (0..100).collect()));
        let again = thread.run(SHORT, &AtomicBool::new(true), |_: &mut dyn FnMut(u32)| 8, &mut |_| unreachable!());
        assert_eq!(again, Ok(8));
    }

    #[test]
    fn work_that_hangs_is_given_up_with_what_it_owns() {
        let thread = WatchedThread::start().expect("a thread");
        let owned = Arc::new(());
        let kept = Arc::clone(&owned);
        let work = move |say: &mut dyn FnMut(u32)| {
            assert_eq!(Arc::strong_count(&kept), 2);
            hang(say)
        };
        let failure = thread.run(SHORT, &AtomicBool::new(false), work, &mut |_| unreachable!()).expect_err("a hang");
        assert_eq!(failure.kind, FailureKind::Stuck);
        assert!(failure.message.starts_with("reading x did not complete within"), "{}", failure.message);
        assert_eq!(Arc::strong_count(&owned), 2);
    }

    #[test]
    fn a_stop_or_the_receiver_ends_the_wait() {
        let patient = Deadlines { silent: Duration::from_secs(60), ..SHORT };
        let thread = WatchedThread::start().expect("a thread");
        let stopped = thread.run(patient, &AtomicBool::new(true), hang, &mut |_| unreachable!());
        assert!(stopped.is_err_and(|failure| failure.message.contains("did not stop within")));
        let thread = WatchedThread::start().expect("a thread");
        let why = Failure::new(FailureKind::Stuck, "enough");
        let work = |say: &mut dyn FnMut(u32)| {
            say(1);
            hang(say)
        };
        let broken = thread.run(patient, &AtomicBool::new(false), work, &mut |_| ControlFlow::Break(why.clone()));
        assert_eq!(broken, Err(why));
    }
}

//! Calls that take as long as a drive needs, with a sign of life meanwhile.

use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

use crate::failure::{Failure, FailureKind};

/// Interval between two signs of life.
pub const TICK: Duration = Duration::from_secs(1);
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// Makes a call on a thread of its own, and calls `tick` from time to time until it returns.
pub fn beside<T: Send>(call: impl FnOnce() -> T + Send, tick: &mut dyn FnMut()) -> Result<T, Failure> {
    scope(|scope| {
        let running = Builder::new()
            .name("purge".to_owned())
            .spawn_scoped(scope, call)
            .map_err(|error| Failure::from_io(FailureKind::EngineRefused, "cannot start a thread", &error))?;
        let mut told = Instant::now();
        while !running.is_finished() {
            std::thread::sleep(CHECK_EVERY);
            if told.elapsed() >= TICK {
                told = Instant::now();
                tick();
            }
        }
        Ok(running.join().expect("a thread that panics aborts the engine"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_call_gives_signs_of_life_and_its_result() {
        let mut ticks = 0;
        let slow = || {
            std::thread::sleep(TICK * 5 / 2);
            7
        };
        assert_eq!(beside(slow, &mut || ticks += 1), Ok(7));
        assert_eq!(ticks, 2);
    }
}

//! `iosonde-engine`: JSON lines in on stdin, JSON lines out on stdout. See docs/protocol.md.

use std::io::{stdin, stdout};
use std::process::ExitCode;

use rustix::process::{Signal, set_parent_process_death_signal};

fn main() -> ExitCode {
    // Without its front the engine is of no use, even when it hangs on a device and can't see that its input has ended.
    // Where the kernel refuses this, the end of the input ends the engine.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    match iosonde_engine::session::serve(stdin(), stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

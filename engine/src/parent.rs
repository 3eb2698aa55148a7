//! Ends the engine with the process that started it.

use std::os::fd::OwnedFd;
use std::thread::Builder;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, Signal, getpid, getppid, kill_process, pidfd_open, set_parent_process_death_signal};

/// Has the engine killed as soon as its parent has ended. Without its front it is of no use, even when it hangs on a
/// device and can't see that its input has ended.
///
/// The kernel's own signal for that comes with the end of the thread that started the engine, and the front may go on
/// without that one; so it is asked for only where the process can't be watched. Where the kernel refuses both, the end
/// of the input ends the engine.
pub fn end_with_parent() {
    let is_watched = getppid().is_some_and(|parent| {
        pidfd_open(parent, PidfdFlags::empty()).is_ok_and(|parent| {
            Builder::new().name("parent".to_owned()).stack_size(64 << 10).spawn(move || wait_for(&parent)).is_ok()
        })
    });
    if !is_watched {
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
}

fn wait_for(parent: &OwnedFd) {
    let mut ended = [PollFd::new(parent, PollFlags::IN)];
    while poll(&mut ended, None) == Err(Errno::INTR) {}
    let _ = kill_process(getpid(), Signal::KILL);
}

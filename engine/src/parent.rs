//! Ends the engine when its parent process ends.

use std::os::fd::OwnedFd;
use std::thread::Builder;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, Signal, getpid, getppid, kill_process, pidfd_open, set_parent_process_death_signal};

/// Kills the engine as soon as its parent has ended, even if the engine hangs on a device and cannot read the end of
/// its input.
///
/// Uses `PR_SET_PDEATHSIG` only if the parent cannot be watched by pidfd, because the signal is already sent when the
/// thread that started the engine ends, and the front end may continue after that. If the kernel refuses both, the
/// engine ends with its input.
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

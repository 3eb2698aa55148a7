//! Selects the set-up flags that the kernel supports. Each flag is probed separately, because a kernel without one may
//! support the others.

use std::io;
use std::sync::OnceLock;

use io_uring::{Builder, IoUring, cqueue, squeue};

use super::Poll;

/// Idle time of the SQPOLL thread before it sleeps.
const SQPOLL_IDLE_MS: u32 = 100;

/// A set-up flag.
struct Flag {
    name: &'static str,
    // Flags that this one requires, and flags with which it is refused or useless.
    with: &'static [&'static str],
    without: &'static [&'static str],
}

/// The wanted flags, in probing order.
const WANTED: [Flag; 6] = [
    Flag { name: "submit_all", with: &[], without: &[] },
    Flag { name: "single_issuer", with: &[], without: &[] },
    Flag { name: "defer_taskrun", with: &["single_issuer"], without: &["sqpoll"] },
    Flag { name: "coop_taskrun", with: &[], without: &["defer_taskrun", "sqpoll"] },
    // Sets a flag in the ring while deferred work is pending, for a worker that polls without waiting. Works with
    // either of the two flags above.
    Flag { name: "taskrun_flag", with: &[], without: &["sqpoll"] },
    Flag { name: "no_sqarray", with: &[], without: &[] },
];

// Rings have entries of normal or double size; the flags are the same.
fn set<S: squeue::EntryMarker, C: cqueue::EntryMarker>(builder: &mut Builder<S, C>, name: &str) {
    match name {
        "submit_all" => builder.setup_submit_all(),
        "single_issuer" => builder.setup_single_issuer(),
        "defer_taskrun" => builder.setup_defer_taskrun(),
        "coop_taskrun" => builder.setup_coop_taskrun(),
        "taskrun_flag" => builder.setup_taskrun_flag(),
        "no_sqarray" => builder.setup_no_sqarray(),
        other => unreachable!("{other} is not a wanted flag"),
    };
}

fn builder<S: squeue::EntryMarker, C: cqueue::EntryMarker>(poll: Poll, granted: &[&'static str]) -> Builder<S, C> {
    let mut builder = IoUring::<S, C>::builder();
    match poll {
        Poll::Interrupt => &mut builder,
        Poll::Iopoll => builder.setup_iopoll(),
        Poll::Sqpoll => builder.setup_sqpoll(SQPOLL_IDLE_MS),
    };
    for flag in WANTED.iter().filter(|flag| granted.contains(&flag.name)) {
        set(&mut builder, flag.name);
    }
    builder
}

fn probe(poll: Poll) -> Vec<&'static str> {
    let mut granted: Vec<&'static str> = match poll {
        Poll::Interrupt => Vec::new(),
        Poll::Iopoll => vec!["iopoll"],
        Poll::Sqpoll => vec!["sqpoll"],
    };
    for flag in &WANTED {
        let fits = flag.with.iter().all(|name| granted.contains(name))
            && !flag.without.iter().any(|name| granted.contains(name));
        let asked = [granted.as_slice(), &[flag.name]].concat();
        if fits && builder::<squeue::Entry, cqueue::Entry>(poll, &asked).build(2).is_ok() {
            granted.push(flag.name);
        }
    }
    granted
}

/// Whether a ring with these flags indicates pending deferred work.
pub fn indicates_deferred_work(granted: &[&'static str]) -> bool {
    let defers = ["defer_taskrun", "coop_taskrun"].iter().any(|name| granted.contains(name));
    !defers || granted.contains(&"taskrun_flag")
}

/// Builds a ring with every flag that the kernel supports, and returns it with the names of the flags. The kernel is
/// probed once for each poll mode.
pub fn build<S, C>(slots: u32, poll: Poll) -> io::Result<(IoUring<S, C>, &'static [&'static str])>
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    static GRANTED: [OnceLock<Vec<&'static str>>; Poll::ALL.len()] = [const { OnceLock::new() }; Poll::ALL.len()];
    let granted = GRANTED[poll as usize].get_or_init(|| probe(poll));
    // An SQPOLL thread frees submission entries only after it has started the whole batch. By then, some of these
    // operations may have completed, and the worker needs entries for the next ones.
    let entries = if poll == Poll::Sqpoll { slots.saturating_mul(2) } else { slots };
    Ok((builder(poll, granted).build(entries.max(2))?, granted))
}

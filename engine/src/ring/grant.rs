//! Which set-up flags the kernel grants. Each is tried for itself: a kernel that lacks one may well have the others.

use std::io;
use std::sync::OnceLock;

use io_uring::{Builder, IoUring};

use super::Poll;

/// How long the kernel's submission thread goes on looking for work before it sleeps.
const SQPOLL_IDLE_MS: u32 = 100;

/// A set-up flag.
struct Flag {
    name: &'static str,
    set: fn(&mut Builder) -> &mut Builder,
    // Flags that it is worth something with, and those beside which the kernel refuses it or it is worth nothing.
    with: &'static [&'static str],
    without: &'static [&'static str],
}

/// The flags that are wanted, in the order in which they are tried.
const WANTED: [Flag; 6] = [
    Flag { name: "submit_all", set: Builder::setup_submit_all, with: &[], without: &[] },
    Flag { name: "single_issuer", set: Builder::setup_single_issuer, with: &[], without: &[] },
    Flag { name: "defer_taskrun", set: Builder::setup_defer_taskrun, with: &["single_issuer"], without: &["sqpoll"] },
    Flag { name: "coop_taskrun", set: Builder::setup_coop_taskrun, with: &[], without: &["defer_taskrun", "sqpoll"] },
    // Says when there is something to fetch, to a worker that looks without waiting. Goes with either of the two above.
    Flag { name: "taskrun_flag", set: Builder::setup_taskrun_flag, with: &[], without: &["sqpoll"] },
    Flag { name: "no_sqarray", set: Builder::setup_no_sqarray, with: &[], without: &[] },
];

fn builder(poll: Poll, granted: &[&'static str]) -> Builder {
    let mut builder = IoUring::builder();
    match poll {
        Poll::Interrupt => &mut builder,
        Poll::Iopoll => builder.setup_iopoll(),
        Poll::Sqpoll => builder.setup_sqpoll(SQPOLL_IDLE_MS),
    };
    for flag in WANTED.iter().filter(|flag| granted.contains(&flag.name)) {
        (flag.set)(&mut builder);
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
        if fits && builder(poll, &[granted.as_slice(), &[flag.name]].concat()).build(2).is_ok() {
            granted.push(flag.name);
        }
    }
    granted
}

/// A ring with every flag that the kernel grants here, and their names. The kernel is asked once for each way to poll.
pub fn build(slots: u32, poll: Poll) -> io::Result<(IoUring, &'static [&'static str])> {
    static GRANTED: [OnceLock<Vec<&'static str>>; Poll::ALL.len()] = [const { OnceLock::new() }; Poll::ALL.len()];
    let granted = GRANTED[poll as usize].get_or_init(|| probe(poll));
    Ok((builder(poll, granted).build(slots.max(2))?, granted))
}

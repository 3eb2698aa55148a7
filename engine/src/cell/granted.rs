//! What the rings of all workers were granted together, and in what they differ.

use std::collections::BTreeSet;

use crate::ring::{Poll, RingTruth};

/// What all of them have. In what they differ, and what was refused, stands in `fallbacks`, with those that it is about where
/// that is not all of them: targets counted from 1, where all workers on them are alike, or else the number of workers.
///
/// Of two ways to find completions that of interrupts counts: it is what a refused one falls back to.
#[must_use]
pub fn merged(granted: &[(usize, RingTruth)]) -> RingTruth {
    let first = &granted.first().expect("there is at least one worker").1;
    let all = |is: &dyn Fn(&RingTruth) -> bool| granted.iter().all(|(_, truth)| is(truth));
    let poll_mode =
        if all(&|truth| truth.poll_mode == first.poll_mode) { first.poll_mode } else { Poll::Interrupt.name() };
    RingTruth {
        ring_flags: flags(granted).into_iter().filter(|flag| all(&|truth| truth.ring_flags.contains(flag))).collect(),
        poll_mode,
        fixed_buffers: all(&|truth| truth.fixed_buffers),
        fixed_file: all(&|truth| truth.fixed_file),
        fallbacks: differences(granted),
    }
}

// Every flag that any has, once, in their order.
fn flags(granted: &[(usize, RingTruth)]) -> Vec<&'static str> {
    distinct(granted.iter().flat_map(|(_, truth)| truth.ring_flags.iter().copied()))
}

fn differences(granted: &[(usize, RingTruth)]) -> Vec<String> {
    let refused = distinct(granted.iter().flat_map(|(_, truth)| truth.fallbacks.iter().map(String::as_str)));
    let mut lines: Vec<String> = refused
        .into_iter()
        .map(|reason| {
            let who = those(granted, &|truth| truth.fallbacks.iter().any(|each| each == reason));
            who.map_or_else(|| reason.to_owned(), |who| format!("{who}: {reason}"))
        })
        .collect();
    let mut differ = |what: &str, has: &dyn Fn(&RingTruth) -> bool| {
        // Those that were refused it say so already.
        let is_told = granted.iter().all(|(_, truth)| has(truth) || !truth.fallbacks.is_empty());
        if let Some(who) = those(granted, has).filter(|_| !is_told) {
            lines.push(format!("{who}: {what}, unlike the others"));
        }
    };
    for mode in Poll::ALL.map(Poll::name) {
        differ(&format!("completions by {mode}"), &|truth| truth.poll_mode == mode);
    }
    for flag in flags(granted) {
        differ(&format!("ring flag {flag}"), &|truth| truth.ring_flags.contains(&flag));
    }
    differ("registered buffers", &|truth| truth.fixed_buffers);
    differ("registered file", &|truth| truth.fixed_file);
    lines
}

// Whom something is true of; None where that is all, or nobody.
fn those(granted: &[(usize, RingTruth)], is: &dyn Fn(&RingTruth) -> bool) -> Option<String> {
    let (of, others): (Vec<_>, Vec<_>) = granted.iter().partition(|(_, truth)| is(truth));
    if of.is_empty() || others.is_empty() {
        return None;
    }
    let [targets, rest] = [&of, &others].map(|part| part.iter().map(|(target, _)| *target).collect::<BTreeSet<_>>());
    if !targets.is_disjoint(&rest) {
        return Some(format!("{} of {} workers", of.len(), granted.len()));
    }
    let numbers: Vec<String> = targets.iter().map(|target| (target + 1).to_string()).collect();
    Some(format!("target{} {}", if numbers.len() > 1 { "s" } else { "" }, numbers.join(", ")))
}

fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: &str = "polled completions refused: EOPNOTSUPP";
    const NO_BUFFERS: &str = "registered buffers refused: ENOMEM";

    fn polled() -> RingTruth {
        RingTruth {
            ring_flags: vec!["iopoll", "submit_all"],
            poll_mode: "iopoll",
            fixed_buffers: true,
            fixed_file: true,
            fallbacks: Vec::new(),
        }
    }

    fn interrupted() -> RingTruth {
        let fallbacks = vec![REFUSED.to_owned()];
        RingTruth { ring_flags: vec!["submit_all", "coop_taskrun"], poll_mode: "interrupt", fallbacks, ..polled() }
    }

    fn without_buffers() -> RingTruth {
        RingTruth { fixed_buffers: false, fallbacks: vec![NO_BUFFERS.to_owned()], ..polled() }
    }

    #[test]
    fn where_all_are_alike_the_first_one_speaks_for_all() {
        for truth in [polled(), interrupted(), without_buffers()] {
            assert_eq!(merged(&[(0, truth.clone()), (0, truth.clone()), (1, truth.clone())]), truth);
        }
    }

    #[test]
    fn a_target_that_takes_no_polling_is_named_wherever_it_stands() {
        for refused in [0, 1] {
            let truths = [polled(), interrupted()];
            let granted: Vec<_> =
                (0..4).map(|worker| (worker / 2, truths[usize::from(worker / 2 == refused)].clone())).collect();
            let found = merged(&granted);
            assert_eq!((found.poll_mode, found.ring_flags), ("interrupt", vec!["submit_all"]));
            let no = refused + 1;
            assert_eq!(found.fallbacks[0], format!("target {no}: {REFUSED}"));
            // What only the other one lacks has no refusal that says so.
            assert_eq!(
                found.fallbacks[1..],
                [
                    format!("target {no}: completions by interrupt, unlike the others"),
                    format!("target {no}: ring flag coop_taskrun, unlike the others"),
                ]
            );
        }
    }

    #[test]
    fn workers_that_were_refused_what_others_on_their_target_have_are_counted() {
        let found = merged(&[(0, polled()), (0, without_buffers()), (0, polled()), (0, without_buffers())]);
        assert!(!found.fixed_buffers && found.fixed_file);
        assert_eq!(found.fallbacks, [format!("2 of 4 workers: {NO_BUFFERS}")]);
    }

    #[test]
    fn what_some_have_and_nobody_was_refused_is_a_difference_as_well() {
        let without_file = RingTruth { fixed_file: false, ..polled() };
        let found = merged(&[(0, polled()), (1, without_file)]);
        assert_eq!(found.fallbacks, ["target 1: registered file, unlike the others"]);
    }

    #[test]
    fn several_targets_of_one_kind_are_named_together() {
        let found = merged(&[(0, polled()), (1, interrupted()), (2, interrupted())]);
        assert_eq!(found.fallbacks[0], format!("targets 2, 3: {REFUSED}"));
    }
}

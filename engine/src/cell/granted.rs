//! Merges what the rings of all workers were granted, and lists the differences.

use std::collections::BTreeSet;

use crate::ring::{Poll, RingFacts};

/// The features that all rings have. `fallbacks` lists differences and refusals. An entry that concerns only some
/// workers names their targets (counted from 1), or the number of workers if workers on the same target differ.
///
/// If poll modes differ, the result is `interrupt`, because a ring falls back to it if its mode is refused.
#[must_use]
pub fn merged(granted: &[(usize, RingFacts)]) -> RingFacts {
    let first = &granted.first().expect("there is at least one worker").1;
    let all = |is: &dyn Fn(&RingFacts) -> bool| granted.iter().all(|(_, facts)| is(facts));
    let poll_mode =
        if all(&|facts| facts.poll_mode == first.poll_mode) { first.poll_mode } else { Poll::Interrupt.name() };
    RingFacts {
        ring_flags: flags(granted).into_iter().filter(|flag| all(&|facts| facts.ring_flags.contains(flag))).collect(),
        poll_mode,
        fixed_buffers: all(&|facts| facts.fixed_buffers),
        fixed_file: all(&|facts| facts.fixed_file),
        fallbacks: differences(granted),
    }
}

// Every flag that any ring has, once, in order.
fn flags(granted: &[(usize, RingFacts)]) -> Vec<&'static str> {
    distinct(granted.iter().flat_map(|(_, facts)| facts.ring_flags.iter().copied()))
}

fn differences(granted: &[(usize, RingFacts)]) -> Vec<String> {
    let refused = distinct(granted.iter().flat_map(|(_, facts)| facts.fallbacks.iter().map(String::as_str)));
    let mut lines: Vec<String> = refused
        .into_iter()
        .map(|reason| {
            let who = those(granted, &|facts| facts.fallbacks.iter().any(|each| each == reason));
            who.map_or_else(|| reason.to_owned(), |who| format!("{who}: {reason}"))
        })
        .collect();
    let mut differ = |what: &str, has: &dyn Fn(&RingFacts) -> bool| {
        // Each worker without the feature has a refusal, which already explains the difference.
        let is_told = granted.iter().all(|(_, facts)| has(facts) || !facts.fallbacks.is_empty());
        if let Some(who) = those(granted, has).filter(|_| !is_told) {
            lines.push(format!("{who} only: {what}"));
        }
    };
    for mode in Poll::ALL.map(Poll::name) {
        differ(&format!("poll mode {mode}"), &|facts| facts.poll_mode == mode);
    }
    for flag in flags(granted) {
        differ(&format!("ring flag {flag}"), &|facts| facts.ring_flags.contains(&flag));
    }
    differ("registered buffers", &|facts| facts.fixed_buffers);
    differ("registered file", &|facts| facts.fixed_file);
    lines
}

// Names the workers that have a property, by target or by number; None if all or none have it.
fn those(granted: &[(usize, RingFacts)], is: &dyn Fn(&RingFacts) -> bool) -> Option<String> {
    let (of, others): (Vec<_>, Vec<_>) = granted.iter().partition(|(_, facts)| is(facts));
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

    fn polled() -> RingFacts {
        RingFacts {
            ring_flags: vec!["iopoll", "submit_all"],
            poll_mode: "iopoll",
            fixed_buffers: true,
            fixed_file: true,
            fallbacks: Vec::new(),
        }
    }

    fn interrupted() -> RingFacts {
        let fallbacks = vec![REFUSED.to_owned()];
        RingFacts { ring_flags: vec!["submit_all", "coop_taskrun"], poll_mode: "interrupt", fallbacks, ..polled() }
    }

    fn without_buffers() -> RingFacts {
        RingFacts { fixed_buffers: false, fallbacks: vec![NO_BUFFERS.to_owned()], ..polled() }
    }

    #[test]
    fn equal_rings_are_reported_once() {
        for facts in [polled(), interrupted(), without_buffers()] {
            assert_eq!(merged(&[(0, facts.clone()), (0, facts.clone()), (1, facts.clone())]), facts);
        }
    }

    #[test]
    fn a_target_that_refuses_polling_is_named() {
        for refused in [0, 1] {
            let truths = [polled(), interrupted()];
            let granted: Vec<_> =
                (0..4).map(|worker| (worker / 2, truths[usize::from(worker / 2 == refused)].clone())).collect();
            let found = merged(&granted);
            assert_eq!((found.poll_mode, found.ring_flags), ("interrupt", vec!["submit_all"]));
            let no = refused + 1;
            assert_eq!(found.fallbacks[0], format!("target {no}: {REFUSED}"));
            // The other target has no refusal that would explain its difference.
            assert_eq!(
                found.fallbacks[1..],
                [format!("target {no} only: poll mode interrupt"), format!("target {no} only: ring flag coop_taskrun"),]
            );
        }
    }

    #[test]
    fn workers_that_differ_on_one_target_are_counted() {
        let found = merged(&[(0, polled()), (0, without_buffers()), (0, polled()), (0, without_buffers())]);
        assert!(!found.fixed_buffers && found.fixed_file);
        assert_eq!(found.fallbacks, [format!("2 of 4 workers: {NO_BUFFERS}")]);
    }

    #[test]
    fn a_difference_without_a_refusal_is_listed() {
        let without_file = RingFacts { fixed_file: false, ..polled() };
        let found = merged(&[(0, polled()), (1, without_file)]);
        assert_eq!(found.fallbacks, ["target 1 only: registered file"]);
    }

    #[test]
    fn targets_with_the_same_refusal_are_named_together() {
        let found = merged(&[(0, polled()), (1, interrupted()), (2, interrupted())]);
        assert_eq!(found.fallbacks[0], format!("targets 2, 3: {REFUSED}"));
    }
}

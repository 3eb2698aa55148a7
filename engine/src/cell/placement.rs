//! CPU affinity of workers: CPUs near the target, one for each worker if there are enough.

use std::collections::BTreeSet;

use rustix::thread::CpuSet;

/// The CPUs of each worker; an empty list leaves the choice to the scheduler. Each group of `workers_each` consecutive
/// workers shares a target.
///
/// `near` lists the CPUs near each target (empty if unknown or if all are equally near), `allowed` those that the
/// process may use, ascending. A target whose near CPUs are not allowed uses all allowed CPUs.
#[must_use]
pub fn worker_cpus(near: &[Vec<u32>], workers_each: usize, allowed: &[u32]) -> Vec<Vec<u32>> {
    let pools: Vec<Vec<u32>> = near.iter().map(|near| pool(near, allowed)).collect();
    let mut free = allowed.to_vec();
    let mut cpus = Vec::with_capacity(near.len() * workers_each);
    for pool in &pools {
        let demand = workers_each * pools.iter().filter(|other| *other == pool).count();
        // If workers have to share CPUs, the scheduler balances them better. It does not know which CPUs are near the
        // target, so they stay restricted to those.
        let shared = if pool.len() < allowed.len() { pool.clone() } else { Vec::new() };
        for _ in 0..workers_each {
            // The last CPUs first: the first one often handles interrupts.
            let own = if demand <= pool.len() { free.iter().rposition(|cpu| pool.contains(cpu)) } else { None };
            cpus.push(own.map_or_else(|| shared.clone(), |found| vec![free.remove(found)]));
        }
    }
    cpus
}

/// The CPUs for io-wq workers: the allowed ones that no worker is pinned to, or all if none is left.
#[must_use]
pub fn io_wq_cpus(cpus: &[Vec<u32>], allowed: &[u32]) -> Vec<u32> {
    let is_taken = |cpu: &u32| cpus.iter().any(|place| place[..] == [*cpu]);
    let left: Vec<u32> = allowed.iter().copied().filter(|cpu| !is_taken(cpu)).collect();
    if left.is_empty() { allowed.to_vec() } else { left }
}

/// The CPUs on which workers may run: all allowed ones if the scheduler chooses for any of them.
#[must_use]
pub fn cpus_used(cpus: &[Vec<u32>], allowed: &[u32]) -> BTreeSet<u32> {
    cpus.iter().flat_map(|place| if place.is_empty() { allowed } else { place }).copied().collect()
}

/// A CPU set for the kernel.
#[must_use]
pub fn set_of(cpus: &[u32]) -> CpuSet {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu as usize);
    }
    set
}

fn pool(near: &[u32], allowed: &[u32]) -> Vec<u32> {
    let both: Vec<u32> = allowed.iter().copied().filter(|cpu| near.contains(cpu)).collect();
    if both.is_empty() { allowed.to_vec() } else { both }
}

#[cfg(test)]
mod tests {
    use super::{cpus_used, io_wq_cpus, worker_cpus};

    const UNKNOWN: Vec<u32> = Vec::new();

    #[test]
    fn each_worker_is_pinned_to_its_own_cpu_the_last_ones_first() {
        assert_eq!(worker_cpus(&[UNKNOWN], 3, &[0, 1, 4, 5]), [[5], [4], [1]]);
    }

    #[test]
    fn with_more_workers_than_cpus_the_scheduler_decides() {
        assert_eq!(worker_cpus(&[UNKNOWN], 3, &[0, 1]), [UNKNOWN; 3]);
    }

    #[test]
    fn workers_stay_on_the_node_of_their_target() {
        assert_eq!(worker_cpus(&[vec![0, 1]], 2, &[0, 1, 2, 3]), [[1], [0]]);
        assert_eq!(worker_cpus(&[vec![0, 1]], 3, &[0, 1, 2, 3]), [[0, 1], [0, 1], [0, 1]]);
    }

    #[test]
    fn targets_on_two_nodes_have_workers_on_both_nodes() {
        assert_eq!(worker_cpus(&[vec![0, 1], vec![2, 3]], 2, &[0, 1, 2, 3]), [[1], [0], [3], [2]]);
        // Three workers on two nodes, two of them on the targets of the first node.
        let [first, second] = [vec![0, 1], vec![2, 3]];
        assert_eq!(worker_cpus(&[first.clone(), first.clone(), second], 1, &[0, 1, 2, 3]), [[1], [0], [3]]);
        assert_eq!(worker_cpus(&[first.clone(), first.clone()], 2, &[0, 1, 2, 3]), vec![first; 4]);
    }

    #[test]
    fn only_allowed_cpus_are_used() {
        assert_eq!(worker_cpus(&[vec![2, 3]], 1, &[0, 3]), [[3]]);
        assert_eq!(worker_cpus(&[vec![2, 3]], 1, &[0, 1]), [[1]]);
    }

    #[test]
    fn a_target_with_unknown_cpus_leaves_the_near_cpus_to_others() {
        assert_eq!(worker_cpus(&[UNKNOWN, vec![2, 3]], 1, &[0, 1, 2, 3]), [[3], [2]]);
    }

    #[test]
    fn io_wq_workers_avoid_the_cpus_of_pinned_workers() {
        assert_eq!(io_wq_cpus(&[vec![5], vec![4]], &[0, 1, 4, 5]), [0, 1]);
        assert_eq!(io_wq_cpus(&[vec![4, 5]], &[0, 1, 4, 5]), [0, 1, 4, 5]);
        assert_eq!(io_wq_cpus(&[vec![]], &[0, 1]), [0, 1]);
    }

    #[test]
    fn workers_use_their_own_cpus_or_all_allowed_ones() {
        assert_eq!(cpus_used(&[vec![5], vec![4]], &[0, 1, 4, 5]).into_iter().collect::<Vec<_>>(), [4, 5]);
        assert_eq!(cpus_used(&[vec![5], UNKNOWN], &[0, 5]).into_iter().collect::<Vec<_>>(), [0, 5]);
    }

    #[test]
    fn io_wq_workers_share_cpus_if_none_is_left() {
        assert_eq!(io_wq_cpus(&[vec![1], vec![0]], &[0, 1]), [0, 1]);
    }
}

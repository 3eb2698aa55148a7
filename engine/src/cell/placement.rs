//! Which CPUs a worker may use: those near its target, one of its own where there are enough.

use rustix::thread::CpuSet;

/// The CPUs of each worker, of whom `workers_each` in a row are on the same target; none means that the scheduler decides.
///
/// `near` are the CPUs near each target, none where nobody knows or all are alike; `allowed` are those that the process
/// may use, ascending. Targets near CPUs that are not allowed go by all that are.
#[must_use]
pub fn place(near: &[Vec<u32>], workers_each: usize, allowed: &[u32]) -> Vec<Vec<u32>> {
    let pools: Vec<Vec<u32>> = near.iter().map(|near| pool(near, allowed)).collect();
    let mut free = allowed.to_vec();
    let mut places = Vec::with_capacity(near.len() * workers_each);
    for pool in &pools {
        let demand = workers_each * pools.iter().filter(|other| *other == pool).count();
        // Where workers must share CPUs, the scheduler does better by itself, but it does not know where the target is.
        let shared = if pool.len() < allowed.len() { pool.clone() } else { Vec::new() };
        for _ in 0..workers_each {
            // The last CPUs first: the first one tends to have the machine's interrupts.
            let own = if demand <= pool.len() { free.iter().rposition(|cpu| pool.contains(cpu)) } else { None };
            places.push(own.map_or_else(|| shared.clone(), |found| vec![free.remove(found)]));
        }
    }
    places
}

/// The CPUs for threads that help workers: all that are allowed but those that a worker is tied to, where any are left.
#[must_use]
pub fn beside(places: &[Vec<u32>], allowed: &[u32]) -> Vec<u32> {
    let is_taken = |cpu: &u32| places.iter().any(|place| place[..] == [*cpu]);
    let left: Vec<u32> = allowed.iter().copied().filter(|cpu| !is_taken(cpu)).collect();
    if left.is_empty() { allowed.to_vec() } else { left }
}

/// CPUs as the kernel takes them.
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
    use super::{beside, place};

    const NOBODY_KNOWS: Vec<u32> = Vec::new();

    #[test]
    fn each_worker_has_a_cpu_of_its_own_the_last_ones_first() {
        assert_eq!(place(&[NOBODY_KNOWS], 3, &[0, 1, 4, 5]), [[5], [4], [1]]);
    }

    #[test]
    fn with_more_workers_than_cpus_the_scheduler_decides() {
        assert_eq!(place(&[NOBODY_KNOWS], 3, &[0, 1]), [NOBODY_KNOWS; 3]);
    }

    #[test]
    fn workers_stay_on_the_node_of_their_target() {
        assert_eq!(place(&[vec![0, 1]], 2, &[0, 1, 2, 3]), [[1], [0]]);
        assert_eq!(place(&[vec![0, 1]], 3, &[0, 1, 2, 3]), [[0, 1], [0, 1], [0, 1]]);
    }

    #[test]
    fn targets_on_two_nodes_have_workers_on_both() {
        assert_eq!(place(&[vec![0, 1], vec![2, 3]], 2, &[0, 1, 2, 3]), [[1], [0], [3], [2]]);
        // Three workers on two CPUs of one node, two of them for the first target.
        let [first, second] = [vec![0, 1], vec![2, 3]];
        assert_eq!(place(&[first.clone(), first.clone(), second], 1, &[0, 1, 2, 3]), [[1], [0], [3]]);
        assert_eq!(place(&[first.clone(), first.clone()], 2, &[0, 1, 2, 3]), vec![first; 4]);
    }

    #[test]
    fn only_cpus_that_are_allowed_are_used() {
        assert_eq!(place(&[vec![2, 3]], 1, &[0, 3]), [[3]]);
        assert_eq!(place(&[vec![2, 3]], 1, &[0, 1]), [[1]]);
    }

    #[test]
    fn a_target_of_which_nothing_is_known_does_not_take_what_another_needs_to_itself() {
        assert_eq!(place(&[NOBODY_KNOWS, vec![2, 3]], 1, &[0, 1, 2, 3]), [[3], [2]]);
    }

    #[test]
    fn helpers_keep_off_the_cpus_that_workers_are_tied_to() {
        assert_eq!(beside(&[vec![5], vec![4]], &[0, 1, 4, 5]), [0, 1]);
        assert_eq!(beside(&[vec![4, 5]], &[0, 1, 4, 5]), [0, 1, 4, 5]);
        assert_eq!(beside(&[vec![]], &[0, 1]), [0, 1]);
    }

    #[test]
    fn helpers_share_cpus_with_workers_where_none_are_left() {
        assert_eq!(beside(&[vec![1], vec![0]], &[0, 1]), [0, 1]);
    }
}

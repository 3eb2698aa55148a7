//! The time in which a drive lives that is throttled or stalled at times: it runs slower than that of the host, or stands
//! still. Everything in the drive is stretched alike, whatever its model.

use super::faults::FaultPlan;

// A stretch of the host's time, up to the next one.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    host_ns: u64,
    own_ns: u64,
    // How long the host's time is for the drive's, in parts per thousand; None while the drive's stands still.
    permille: Option<u64>,
}

/// Both times, and the way between them.
#[derive(Clone, Debug)]
pub struct OwnTime(Vec<Stretch>);

impl OwnTime {
    /// The time of a drive with faults that was opened at a time. Where faults overlap, the worst holds.
    #[must_use]
    pub fn new(faults: &[FaultPlan], opened_ns: u64) -> Self {
        let slow: Vec<(u64, u64, Option<u64>)> = faults.iter().filter_map(|fault| slowness(fault, opened_ns)).collect();
        let mut bounds: Vec<u64> = slow.iter().flat_map(|(from_ns, until_ns, _)| [*from_ns, *until_ns]).collect();
        bounds.push(0);
        bounds.sort_unstable();
        bounds.dedup();
        let mut time = Self(Vec::with_capacity(bounds.len()));
        for host_ns in bounds.into_iter().filter(|bound| *bound < u64::MAX) {
            let holds = slow.iter().filter(|(from_ns, until_ns, _)| (*from_ns..*until_ns).contains(&host_ns));
            let permille = holds.map(|(.., permille)| *permille).try_fold(1000, |worst: u64, of| Some(worst.max(of?)));
            let own_ns = if time.0.is_empty() { 0 } else { time.own_ns(host_ns) };
            time.0.push(Stretch { host_ns, own_ns, permille });
        }
        time
    }

    /// The drive's time, at one of the host's.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // A drive's time is not above the host's.
    pub fn own_ns(&self, host_ns: u64) -> u64 {
        let behind = self.0.partition_point(|stretch| stretch.host_ns <= host_ns);
        let stretch = &self.0[behind - 1];
        let Some(permille) = stretch.permille else { return stretch.own_ns };
        stretch.own_ns + (u128::from(host_ns - stretch.host_ns) * 1000 / u128::from(permille)) as u64
    }

    /// When the host sees what happens at one of the drive's times: the first moment that is not before it, and outside
    /// of every stall. `u64::MAX` for never.
    #[inline]
    #[must_use]
    pub fn host_ns(&self, own_ns: u64) -> u64 {
        let behind = self.0.partition_point(|stretch| stretch.own_ns <= own_ns);
        let stretch = &self.0[behind - 1];
        let Some(permille) = stretch.permille else { return u64::MAX };
        let host_ns = (u128::from(own_ns - stretch.own_ns) * u128::from(permille)).div_ceil(1000);
        u64::try_from(u128::from(stretch.host_ns) + host_ns).unwrap_or(u64::MAX)
    }

    /// How much of the host's time up to a moment the drive was throttled.
    #[must_use]
    pub fn throttled_ns(&self, host_ns: u64) -> u64 {
        let ends = self.0.iter().skip(1).map(|stretch| stretch.host_ns).chain([u64::MAX]);
        let throttled = self.0.iter().zip(ends).filter(|(stretch, _)| stretch.permille.is_some_and(|of| of > 1000));
        throttled.map(|(stretch, end_ns)| host_ns.min(end_ns).saturating_sub(stretch.host_ns)).sum()
    }
}

// From when, until when, and how much slower.
fn slowness(fault: &FaultPlan, opened_ns: u64) -> Option<(u64, u64, Option<u64>)> {
    let (until_ns, permille) = match *fault {
        FaultPlan::Throttling { until_ns, stretch_permille, .. } => (until_ns, Some(stretch_permille.into())),
        FaultPlan::Stall { until_ns, .. } => (until_ns, None),
        _ => return None,
    };
    Some((opened_ns + fault.from_ns(), until_ns.map_or(u64::MAX, |until_ns| opened_ns + until_ns), permille))
}

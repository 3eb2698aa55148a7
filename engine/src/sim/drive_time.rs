//! The local time of a throttled or stalled drive. It runs slower than host time, or stands still, so that all
//! durations in the drive are affected equally, for every model.

use super::faults::FaultPlan;

// A segment of constant speed.
#[derive(Clone, Copy, Debug)]
struct Segment {
    host_ns: u64,
    drive_ns: u64,
    // Host time per drive time, in thousandths; None during a stall.
    permille: Option<u64>,
}

/// The mapping between host time and drive time.
#[derive(Clone, Debug)]
pub struct DriveTime(Vec<Segment>);

impl DriveTime {
    /// The local time of a drive that was opened at a given time. Where faults overlap, the slowest applies.
    #[must_use]
    pub fn new(faults: &[FaultPlan], opened_ns: u64) -> Self {
        let slow: Vec<(u64, u64, Option<u64>)> = faults.iter().filter_map(|fault| slowdown(fault, opened_ns)).collect();
        let mut bounds: Vec<u64> = slow.iter().flat_map(|(from_ns, until_ns, _)| [*from_ns, *until_ns]).collect();
        bounds.push(0);
        bounds.sort_unstable();
        bounds.dedup();
        let mut time = Self(Vec::with_capacity(bounds.len()));
        for host_ns in bounds.into_iter().filter(|bound| *bound < u64::MAX) {
            let holds = slow.iter().filter(|(from_ns, until_ns, _)| (*from_ns..*until_ns).contains(&host_ns));
            let permille = holds.map(|(.., permille)| *permille).try_fold(1000, |worst: u64, of| Some(worst.max(of?)));
            let drive_ns = if time.0.is_empty() { 0 } else { time.drive_ns(host_ns) };
            time.0.push(Segment { host_ns, drive_ns, permille });
        }
        time
    }

    /// The drive time at a host time.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // Drive time never exceeds host time.
    pub fn drive_ns(&self, host_ns: u64) -> u64 {
        let behind = self.0.partition_point(|segment| segment.host_ns <= host_ns);
        let segment = &self.0[behind - 1];
        let Some(permille) = segment.permille else { return segment.drive_ns };
        segment.drive_ns + (u128::from(host_ns - segment.host_ns) * 1000 / u128::from(permille)) as u64
    }

    /// The host time at which an event of the drive becomes visible: the first time at or after the event that is not
    /// within a stall. `u64::MAX` for never.
    #[inline]
    #[must_use]
    pub fn host_ns(&self, drive_ns: u64) -> u64 {
        let behind = self.0.partition_point(|segment| segment.drive_ns <= drive_ns);
        let segment = &self.0[behind - 1];
        let Some(permille) = segment.permille else { return u64::MAX };
        let host_ns = (u128::from(drive_ns - segment.drive_ns) * u128::from(permille)).div_ceil(1000);
        u64::try_from(u128::from(segment.host_ns) + host_ns).unwrap_or(u64::MAX)
    }

    /// The throttled part of host time so far.
    #[must_use]
    pub fn throttled_ns(&self, host_ns: u64) -> u64 {
        let ends = self.0.iter().skip(1).map(|segment| segment.host_ns).chain([u64::MAX]);
        let throttled = self.0.iter().zip(ends).filter(|(segment, _)| segment.permille.is_some_and(|of| of > 1000));
        throttled.map(|(segment, end_ns)| host_ns.min(end_ns).saturating_sub(segment.host_ns)).sum()
    }
}

// Start, end and slowdown of a fault.
fn slowdown(fault: &FaultPlan, opened_ns: u64) -> Option<(u64, u64, Option<u64>)> {
    let (until_ns, permille) = match *fault {
        FaultPlan::Throttling { until_ns, stretch_permille, .. } => (until_ns, Some(stretch_permille.into())),
        FaultPlan::Stall { until_ns, .. } => (until_ns, None),
        _ => return None,
    };
    Some((opened_ns + fault.from_ns(), until_ns.map_or(u64::MAX, |until_ns| opened_ns + until_ns), permille))
}

//! Rejects jobs whose times cannot be kept: how long they run, and when their operations are submitted.

use super::check::bad;
use super::{COUNT_MAX, DURATION_NS_MAX, DUTY_NS_MIN, Engine, INTERVAL_NS_MIN, Job, RATE_PER_S_MAX};
use crate::failure::Failure;

impl Job {
    pub(super) fn check_time(&self) -> Result<(), Failure> {
        if self.measure_ns == 0 || self.measure_ns > DURATION_NS_MAX || self.warmup_ns > DURATION_NS_MAX {
            return bad(format!("a duration is not between 1 and {DURATION_NS_MAX} ns"));
        }
        if let Some(limit_ns) = self.limit_ns {
            if self.amount_bytes.is_none() {
                return bad("limit_ns requires amount_bytes".to_owned());
            }
            if limit_ns == 0 || limit_ns > DURATION_NS_MAX {
                return bad(format!("limit_ns is {limit_ns}; the range is 1 to {DURATION_NS_MAX}"));
            }
        }
        if self.amount_bytes.is_none() {
            self.check_sums(self.warmup_ns + self.measure_ns)?;
        }
        if self.pace.is_some_and(|pace| pace.rate_per_s == 0 || pace.rate_per_s > RATE_PER_S_MAX) {
            return bad(format!("the arrival rate is not between 1 and {RATE_PER_S_MAX} per second"));
        }
        self.check_burst()?;
        self.check_duty()?;
        if self.interval_ns < INTERVAL_NS_MIN || self.interval_ns > DURATION_NS_MAX {
            return bad(format!(
                "interval {} ns is not between {INTERVAL_NS_MIN} and {DURATION_NS_MAX}",
                self.interval_ns
            ));
        }
        if let Some(decide_ns) = self.decide_ns
            && (decide_ns == 0 || !decide_ns.is_multiple_of(self.interval_ns) || decide_ns > DURATION_NS_MAX)
        {
            return bad(format!(
                "decide_ns is {decide_ns}, which is not a multiple of the interval up to {DURATION_NS_MAX}"
            ));
        }
        Ok(())
    }

    // The in-flight times of all operations are summed in 64 bits, and the sum must not overflow.
    fn check_sums(&self, duration_ns: u64) -> Result<(), Failure> {
        let in_flight = self.in_flight();
        match u64::from(in_flight).checked_mul(duration_ns) {
            Some(_) => Ok(()),
            None => bad(format!(
                "{in_flight} operations in flight for {duration_ns} ns: the sum of their latencies would exceed 2^64 ns"
            )),
        }
    }

    fn check_burst(&self) -> Result<(), Failure> {
        let Some(burst) = self.burst else { return Ok(()) };
        if burst.operations == 0 || burst.operations > COUNT_MAX || burst.think_ns > DURATION_NS_MAX {
            return bad(format!(
                "a burst requires 1 to {COUNT_MAX} operations and a think time of up to {DURATION_NS_MAX} ns"
            ));
        }
        if self.pace.is_some() {
            return bad("pace and burst cannot be combined".to_owned());
        }
        if self.engine == Engine::Psync && self.queue_depth > 1 {
            return bad(
                "with psync, burst requires queue depth 1, because each thread would run separate bursts".to_owned()
            );
        }
        Ok(())
    }

    fn check_duty(&self) -> Result<(), Failure> {
        let Some(duty) = self.duty else { return Ok(()) };
        let range = DUTY_NS_MIN..=DURATION_NS_MAX;
        if !range.contains(&duty.on_ns) || !range.contains(&duty.off_ns) {
            return bad(format!(
                "duty is {} ns on and {} ns off; the range is {DUTY_NS_MIN} to {DURATION_NS_MAX} ns",
                duty.on_ns, duty.off_ns
            ));
        }
        if self.pace.is_some() || self.burst.is_some() {
            return bad("duty cannot be combined with pace or burst".to_owned());
        }
        let end_ns = self.warmup_ns + self.measure_ns;
        if self.amount_bytes.is_none() && duty.on_within_ns(self.warmup_ns) == duty.on_within_ns(end_ns) {
            return bad("the measurement time lies within an off-time of duty".to_owned());
        }
        Ok(())
    }
}

//! The frequency of the CPUs that the workers use, read from a thread that does not measure.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

/// The time between two readings. On some kernels a reading interrupts the CPU for a few microseconds.
const SPACING_NS: u64 = 1_000_000_000;

/// Where a frequency comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrequencySource {
    /// `scaling_cur_freq` of the CPU, from the kernel's frequency driver.
    Cpufreq,
    /// `cpu MHz` in `/proc/cpuinfo`. In a virtual machine it is usually the nominal frequency.
    Cpuinfo,
}

/// The frequency of the CPUs of the workers over the measurement time. The mean is that over all CPUs and readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CpuFrequency {
    /// Where it comes from.
    pub source: FrequencySource,
    /// The number of CPUs.
    pub cpus: u32,
    /// The number of readings of each CPU.
    pub readings: u32,
    /// The mean.
    pub frequency_hz_mean: u64,
    /// The lowest.
    pub frequency_hz_min: u64,
    /// The highest.
    pub frequency_hz_max: u64,
}

/// The frequencies of some CPUs at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frequencies {
    source: FrequencySource,
    each_hz: Vec<u64>,
}

/// Sums readings of the frequency between two times.
pub struct FrequencyMonitor {
    cpus: BTreeSet<u32>,
    next_ns: u64,
    until_ns: u64,
    has_ended: bool,
    readings: u32,
    values: u64,
    sum_hz: u128,
    // None before the first reading, and with readings that do not fit each other.
    found: Option<CpuFrequency>,
}

impl FrequencyMonitor {
    /// A monitor of these CPUs. The first reading is due at `from_ns`, and the last one at `until_ns`.
    #[must_use]
    pub fn new(cpus: BTreeSet<u32>, from_ns: u64, until_ns: u64) -> Self {
        Self { cpus, next_ns: from_ns, until_ns, has_ended: false, readings: 0, values: 0, sum_hz: 0, found: None }
    }

    /// Takes a reading if it is due.
    pub fn read_if_due(&mut self, now: u64, read: impl FnOnce(&BTreeSet<u32>) -> Option<Frequencies>) {
        if self.has_ended || now < self.next_ns.min(self.until_ns) {
            return;
        }
        self.next_ns = now + SPACING_NS;
        self.has_ended = now >= self.until_ns;
        if let Some(frequencies) = read(&self.cpus) {
            self.add(&frequencies);
        }
    }

    fn add(&mut self, new: &Frequencies) {
        let (Some(min), Some(max)) = (new.each_hz.iter().min(), new.each_hz.iter().max()) else { return };
        // A frequency driver that is loaded during the measurement does not start a second series.
        if self.found.is_some_and(|found| found.source != new.source) {
            return;
        }
        self.readings += 1;
        self.values += new.each_hz.len() as u64;
        self.sum_hz += new.each_hz.iter().map(|hz| u128::from(*hz)).sum::<u128>();
        self.found = Some(CpuFrequency {
            source: new.source,
            cpus: u32::try_from(new.each_hz.len()).unwrap_or(u32::MAX),
            readings: self.readings,
            frequency_hz_mean: u64::try_from(self.sum_hz / u128::from(self.values)).unwrap_or(u64::MAX),
            frequency_hz_min: self.found.map_or(*min, |found| found.frequency_hz_min.min(*min)),
            frequency_hz_max: self.found.map_or(*max, |found| found.frequency_hz_max.max(*max)),
        });
    }

    /// The frequency over the measurement time; None if it is unknown.
    #[must_use]
    pub fn found(&self) -> Option<CpuFrequency> {
        self.found
    }
}

/// The current frequencies of these CPUs; None if the kernel does not report all of them.
#[must_use]
pub fn frequencies(cpus: &BTreeSet<u32>) -> Option<Frequencies> {
    frequencies_below(Path::new("/"), cpus)
}

fn frequencies_below(root: &Path, cpus: &BTreeSet<u32>) -> Option<Frequencies> {
    let of_driver = |cpu: &u32| {
        let path = root.join(format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq"));
        positive(std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok()?.checked_mul(1000)?)
    };
    if let Some(each_hz) = cpus.iter().map(of_driver).collect() {
        return Some(Frequencies { source: FrequencySource::Cpufreq, each_hz });
    }
    let text = std::fs::read_to_string(root.join("proc/cpuinfo")).ok()?;
    let each_hz = cpus.iter().map(|cpu| in_cpuinfo(&text, *cpu)).collect::<Option<_>>()?;
    Some(Frequencies { source: FrequencySource::Cpuinfo, each_hz })
}

// Blocks of lines such as `processor : 3` and `cpu MHz : 2599.998`.
fn in_cpuinfo(text: &str, cpu: u32) -> Option<u64> {
    let fields = |line| str::split_once(line, ':').map(|(name, value)| (name.trim(), value.trim()));
    let mut lines = text.lines().filter_map(fields);
    lines.find(|(name, value)| *name == "processor" && value.parse() == Ok(cpu))?;
    let (_, mhz) = lines.take_while(|(name, _)| *name != "processor").find(|(name, _)| *name == "cpu MHz")?;
    let (whole, part) = mhz.split_once('.').unwrap_or((mhz, ""));
    let thousandths: u64 = format!("{part:0<3}").get(..3)?.parse().ok()?;
    positive(whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(thousandths * 1000)?)
}

// Some drivers report 0 for an unknown frequency.
fn positive(hz: u64) -> Option<u64> {
    (hz > 0).then_some(hz)
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};

    use super::*;

    const CPUINFO: &str = "processor\t: 0\ncpu MHz\t\t: 2599.998\nflags\t: fpu\n\nprocessor\t: 1\ncpu MHz\t\t: 800.5\n";

    fn both(source: FrequencySource, first: u64, second: u64) -> Frequencies {
        Frequencies { source, each_hz: vec![first, second] }
    }

    #[test]
    fn readings_are_summed_over_cpus_and_times_from_the_start_to_the_end_of_the_measurement() {
        let mut monitor = FrequencyMonitor::new(BTreeSet::from([0, 1]), 100, SPACING_NS + 600);
        let mut times = Vec::new();
        for now in [0, 99, 100, 500, SPACING_NS + 99, SPACING_NS + 100, SPACING_NS + 601, 3 * SPACING_NS] {
            monitor.read_if_due(now, |cpus| {
                assert_eq!(cpus.len(), 2);
                times.push(now);
                Some(both(FrequencySource::Cpufreq, 1000 + now % 2, 3000))
            });
        }
        assert_eq!(times, [100, SPACING_NS + 100, SPACING_NS + 601]);
        let expected = CpuFrequency {
            source: FrequencySource::Cpufreq,
            cpus: 2,
            readings: 3,
            frequency_hz_mean: 2000,
            frequency_hz_min: 1000,
            frequency_hz_max: 3000,
        };
        assert_eq!(monitor.found(), Some(expected));
    }

    #[test]
    fn readings_of_another_source_are_not_mixed_in() {
        let mut monitor = FrequencyMonitor::new(BTreeSet::from([0, 1]), 0, u64::MAX);
        monitor.read_if_due(0, |_| None);
        assert_eq!(monitor.found(), None);
        monitor.read_if_due(SPACING_NS, |_| Some(both(FrequencySource::Cpuinfo, 2000, 2000)));
        monitor.read_if_due(2 * SPACING_NS, |_| Some(both(FrequencySource::Cpufreq, 800, 800)));
        assert_eq!(monitor.found().map(|found| (found.readings, found.frequency_hz_mean)), Some((1, 2000)));
    }

    #[test]
    fn cpuinfo_has_the_frequency_of_each_cpu() {
        assert_eq!(in_cpuinfo(CPUINFO, 0), Some(2_599_998_000));
        assert_eq!(in_cpuinfo(CPUINFO, 1), Some(800_500_000));
        for (text, cpu) in [(CPUINFO, 2), ("processor : 0\nBogoMIPS : 50.00\n", 0), ("", 0)] {
            assert_eq!(in_cpuinfo(text, cpu), None);
        }
    }

    #[test]
    fn the_frequency_driver_comes_first_and_must_know_every_cpu() {
        let root = std::env::temp_dir().join(format!("iosonde-frequency-{}", std::process::id()));
        let cpus = BTreeSet::from([0, 1]);
        assert_eq!(frequencies_below(&root, &cpus), None);
        create_dir_all(root.join("proc")).unwrap();
        write(root.join("proc/cpuinfo"), CPUINFO).unwrap();
        for (cpu, khz) in [(0, "3400000\n"), (1, "<unknown>\n")] {
            let folder = root.join(format!("sys/devices/system/cpu/cpu{cpu}/cpufreq"));
            create_dir_all(&folder).unwrap();
            write(folder.join("scaling_cur_freq"), khz).unwrap();
        }
        let found = frequencies_below(&root, &cpus);
        let of_driver = frequencies_below(&root, &BTreeSet::from([0]));
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(found, Some(both(FrequencySource::Cpuinfo, 2_599_998_000, 800_500_000)));
        let expected = Frequencies { source: FrequencySource::Cpufreq, each_hz: vec![3_400_000_000] };
        assert_eq!(of_driver, Some(expected));
    }
}

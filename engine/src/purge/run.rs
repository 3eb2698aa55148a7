//! Purges devices, and tells how it ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::beside::{TICK, beside};
use super::block::{discard, reread_partitions, steps};
use super::{Method, reach};
use crate::failure::{Failure, errno_text};
use crate::guard::WriteGrant;
use crate::nvme::{
    FormatErase, NamespaceFormat, NvmeStatus, PROGRESS_END, SanitizeAction, SanitizeLog, SanitizeState, controller,
    format, namespace, sanitize, sanitize_log,
};
use crate::target::Target;
use crate::watchdog::{ProgressSource, has_its_own_deadlines, made_progress, waiting_for};

/// Progress is told in this many parts.
pub const PERMILLE: u64 = 1000;
/// Log pages that may fail one after the other: the controller may be reset meanwhile.
const LOGS_FAILED_MAX: u32 = 120;

/// How a purge ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PurgeEnd {
    /// The drive reports that it is complete.
    Completed,
    /// It failed.
    Failed,
    /// It was stopped; a part of the device may be purged.
    Stopped,
    /// The engine was stopped, and the sanitize operation goes on in the drive.
    LeftRunning,
    /// The drive does not tell how it ended.
    Unknown,
}

/// What an NVMe drive reports of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DriveState {
    /// The namespace.
    pub namespace: NamespaceFormat,
    /// The Sanitize Status log page; None if the drive does not support Sanitize.
    pub sanitize: Option<SanitizeLog>,
}

/// A purge that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Purge {
    /// The method.
    pub method: Method,
    /// How it ended.
    pub end: PurgeEnd,
    /// Why it did not complete.
    pub reason: Option<String>,
    /// Its duration.
    pub duration_ns: u64,
    /// What an NVMe drive reported before.
    pub before: Option<DriveState>,
    /// What it reports afterwards.
    pub after: Option<DriveState>,
    /// Why the handle of a device is of no use after the purge: the drive has changed below it. None if it is the same.
    pub changed: Option<String>,
}

type Ended = (PurgeEnd, Option<String>);
type Progress<'a> = &'a mut dyn FnMut(Option<u64>);

/// Purges the first target, and with it whatever the method reaches: all other targets, and nothing else. `progress` is
/// called with the progress in permille, None if the drive does not tell it.
pub fn purge(method: Method, targets: &[Target], stop: &AtomicBool, progress: Progress) -> Result<Purge, Failure> {
    waiting_for("asking the drive before the purge", ProgressSource::None);
    reach::check(Some(method), targets)?;
    let grants = reach::grants(targets)?;
    let first = grants[0];
    grants.iter().try_for_each(|grant| grant.confirm())?;
    let before = drive_state(first);
    let since = Instant::now();
    let (end, reason) = match (method.format_erase(), method.sanitize_action()) {
        (Some(erase), _) => run_format(first, erase, progress)?,
        (_, Some(action)) => run_sanitize(first, action, stop, progress)?,
        _ => run_discard(first, targets[0].size_bytes, stop, progress)?,
    };
    let duration_ns = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
    waiting_for("asking the drive after the purge", ProgressSource::None);
    let after = if end == PurgeEnd::LeftRunning { None } else { drive_state(first) };
    for grant in &grants {
        reread_partitions(grant);
    }
    let changed = grants.iter().find_map(|grant| grant.confirm().err()).map(|failure| failure.message);
    let changed = changed.or_else(|| reformatted(before.as_ref(), after.as_ref()));
    Ok(Purge { method, end, reason, duration_ns, before, after, changed })
}

fn reformatted(before: Option<&DriveState>, after: Option<&DriveState>) -> Option<String> {
    let (before, after) = (before?, after?);
    let is_kept = before.namespace.is_kept_by(&after.namespace);
    (!is_kept).then(|| "the namespace has another size or LBA format than before".to_owned())
}

fn drive_state(grant: &WriteGrant) -> Option<DriveState> {
    let capabilities = controller(grant.file()).ok()?;
    let sanitize = if capabilities.sanitizes() { sanitize_log(grant.file()).ok() } else { None };
    Some(DriveState { namespace: namespace(grant.file()).ok()?, sanitize })
}

fn run_discard(grant: &WriteGrant, size_bytes: u64, stop: &AtomicBool, progress: Progress) -> Result<Ended, Failure> {
    // The kernel splits a discard and waits for each part, so only the drive's own time-outs end it.
    has_its_own_deadlines();
    for range in steps(size_bytes) {
        if stop.load(Ordering::Relaxed) {
            return Ok((PurgeEnd::Stopped, Some(format!("stopped after {} bytes", range[0]))));
        }
        let done = permille(range[0], size_bytes);
        progress(Some(done));
        if let Err(error) = beside(|| discard(grant, range), &mut || progress(Some(done)))? {
            let told = error.raw_os_error().map_or_else(|| error.to_string(), errno_text);
            return Ok((PurgeEnd::Failed, Some(format!("the discard at {} failed: {told}", range[0]))));
        }
    }
    Ok((PurgeEnd::Completed, None))
}

fn run_format(grant: &WriteGrant, erase: FormatErase, progress: Progress) -> Result<Ended, Failure> {
    let keep = match namespace(grant.file()) {
        Ok(keep) => keep,
        Err(error) => return Ok((PurgeEnd::Failed, Some(format!("its format could not be read: {error}")))),
    };
    // The kernel resets the controller if the command takes longer than its own time-out.
    has_its_own_deadlines();
    progress(None);
    let ended = beside(|| format(grant, &keep, erase), &mut || {
        let remaining = namespace(grant.file()).ok().and_then(|now| now.format_remaining_percent);
        progress(remaining.map(|percent| PERMILLE - 10 * u64::from(percent.min(100))));
    })?;
    Ok(match ended {
        Ok(Ok(())) => (PurgeEnd::Completed, None),
        Ok(Err(status)) => (PurgeEnd::Failed, Some(status.to_string())),
        Err(error) => (PurgeEnd::Failed, Some(format!("the format failed: {error}"))),
    })
}

fn run_sanitize(
    grant: &WriteGrant,
    action: SanitizeAction,
    stop: &AtomicBool,
    progress: Progress,
) -> Result<Ended, Failure> {
    has_its_own_deadlines();
    match beside(|| sanitize(grant, action), &mut || progress(None))? {
        Ok(Ok(())) => {}
        Ok(Err(NvmeStatus(status))) => return Ok((PurgeEnd::Failed, Some(NvmeStatus(status).to_string()))),
        Err(error) => return Ok((PurgeEnd::Failed, Some(format!("the sanitize command failed: {error}")))),
    }
    let mut failed = 0;
    loop {
        waiting_for("the sanitize status log", ProgressSource::None);
        match sanitize_log(grant.file()) {
            Ok(log) => {
                failed = 0;
                if let Some(ended) = sanitize_end(&log, action) {
                    return Ok(ended);
                }
                progress(Some(permille(u64::from(log.progress), PROGRESS_END)));
            }
            Err(error) => {
                failed += 1;
                if failed > LOGS_FAILED_MAX {
                    return Ok((PurgeEnd::Unknown, Some(format!("its status log cannot be read: {error}"))));
                }
                progress(None);
            }
        }
        made_progress();
        if pause(stop) {
            return Ok((PurgeEnd::LeftRunning, Some("the operation goes on in the drive".to_owned())));
        }
    }
}

// How a sanitize operation ended, by its log; None while it runs.
fn sanitize_end(log: &SanitizeLog, action: SanitizeAction) -> Option<Ended> {
    if log.state != SanitizeState::InProgress && log.command != action.word10() {
        let told = format!("the log is of another operation (command word {:#x})", log.command);
        return Some((PurgeEnd::Unknown, Some(told)));
    }
    match log.state {
        SanitizeState::InProgress => None,
        SanitizeState::Completed | SanitizeState::CompletedDeallocated => Some((PurgeEnd::Completed, None)),
        SanitizeState::Failed => Some((PurgeEnd::Failed, Some("the drive reports that it failed".to_owned()))),
        SanitizeState::Never | SanitizeState::Unknown => {
            Some((PurgeEnd::Unknown, Some("the drive reports no operation after it was started".to_owned())))
        }
    }
}

// Waits until the next look at the log. Whether a stop was requested.
fn pause(stop: &AtomicBool) -> bool {
    let until = Instant::now() + TICK;
    while Instant::now() < until {
        if stop.load(Ordering::Relaxed) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn permille(part: u64, whole: u64) -> u64 {
    u64::try_from(u128::from(part) * u128::from(PERMILLE) / u128::from(whole.max(1))).unwrap_or(PERMILLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvme::SanitizeEstimates;

    fn log(state: SanitizeState, command: u32) -> SanitizeLog {
        let estimates = SanitizeEstimates { overwrite_s: None, block_s: None, crypto_s: None };
        SanitizeLog { state, progress: 100, passes: 0, is_erased: false, command, estimates }
    }

    #[test]
    fn a_sanitize_operation_ends_when_its_log_says_so() {
        let end = |state, command| sanitize_end(&log(state, command), SanitizeAction::Block).map(|ended| ended.0);
        assert_eq!(end(SanitizeState::InProgress, 2), None);
        assert_eq!(end(SanitizeState::Completed, 2), Some(PurgeEnd::Completed));
        assert_eq!(end(SanitizeState::Failed, 2), Some(PurgeEnd::Failed));
        assert_eq!(end(SanitizeState::Never, 2), Some(PurgeEnd::Unknown));
    }

    #[test]
    fn the_end_of_an_earlier_operation_is_not_taken_for_its_own() {
        let ended = sanitize_end(&log(SanitizeState::Completed, 4), SanitizeAction::Block);
        assert_eq!(ended.map(|ended| ended.0), Some(PurgeEnd::Unknown));
    }
}

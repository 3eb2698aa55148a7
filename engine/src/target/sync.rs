//! Makes writes to several targets durable.

use std::sync::mpsc::channel;
use std::thread::{Builder, scope};

use super::Target;
use crate::failure::{Failure, FailureKind};
use crate::watchdog::{also_failed, waiting_for};

/// Makes all writes durable, on all targets in parallel. If one target does not respond, failures of other targets are
/// still reported.
pub fn sync_all(targets: &[Target]) -> Result<(), Failure> {
    let mut waiting: Vec<&Target> = targets.iter().collect();
    if let [target] = waiting[..] {
        announce(&waiting);
        return target.sync();
    }
    scope(|scope| {
        let (end, ended) = channel();
        for (number, target) in targets.iter().enumerate() {
            let sync = {
                let end = end.clone();
                move || drop(end.send((number, target.sync())))
            };
            if let Err(error) = Builder::new().name("sync".to_owned()).spawn_scoped(scope, sync) {
                let open_failure =
                    Failure::from_io(FailureKind::EngineRefused, "cannot start a thread for fdatasync", &error);
                let _ = end.send((number, Err(open_failure)));
            }
        }
        drop(end);
        let mut failure = None;
        announce(&waiting);
        for (number, result) in ended {
            if let Err(found) = result {
                let path = targets[number].path().display();
                let found = Failure { message: format!("{path}: {}", found.message), ..found };
                also_failed(&found);
                failure = Some(found.after(failure));
            }
            waiting.retain(|target| !std::ptr::eq(*target, &raw const targets[number]));
            announce(&waiting);
        }
        failure.map_or(Ok(()), Err)
    })
}

fn announce(waiting: &[&Target]) {
    if let Some(first) = waiting.first() {
        let paths: Vec<String> = waiting.iter().map(|target| target.path().display().to_string()).collect();
        waiting_for(format!("fdatasync of {}", paths.join(", ")), first.progress_source());
    }
}

//! What a purge reaches: nothing that the user did not name, and that the guard did not find free.

use std::fs::File;
use std::io;

use super::Method;
use crate::failure::{Failure, FailureKind};
use crate::guard::{NamespaceNode, WriteGrant, built_on, namespace_nodes};
use crate::nvme::{Controller, SanitizeState, allocated_namespaces, controller, namespace_id, sanitize_log};
use crate::target::Target;

/// The grants of the targets, the first of which is to be purged. A failure if one of them has none.
pub(super) fn grants(targets: &[Target]) -> Result<Vec<&WriteGrant>, Failure> {
    if targets.is_empty() {
        return Err(Failure::new(FailureKind::NoTarget, "no target is open"));
    }
    let granted = |target: &Target| -> Result<(), Failure> {
        let message = format!("{} was opened without a claim, and cannot be purged", target.path().display());
        target.grant().map(|_| ()).ok_or_else(|| Failure::new(FailureKind::DeviceWrite, message))
    };
    targets.iter().try_for_each(granted)?;
    Ok(targets.iter().filter_map(Target::grant).collect())
}

/// Checks that the drive of the first target supports a method, and that the method reaches exactly the open targets.
/// None is a method of another program, which reaches the first target only.
pub fn check(method: Option<Method>, targets: &[Target]) -> Result<(), Failure> {
    let grants = grants(targets)?;
    let (first, others) = (grants[0], &grants[1..]);
    let name = targets[0].path().display();
    if method != Some(Method::Discard) {
        let below = built_on(first.file()).map_err(|error| unasked(&error))?;
        if !below.is_empty() {
            let below = below.join(", ");
            return Err(refused(format!("{name} is built on {below}, and a command to it would reach all of {below}")));
        }
    }
    let Some(method) = method.filter(|method| *method != Method::Discard) else {
        return if others.is_empty() { Ok(()) } else { Err(refused("the method reaches one device only")) };
    };
    if first.is_partition() {
        return Err(refused(format!("{name} is a partition, which can only be discarded")));
    }
    let file = first.file();
    let own = namespace_id(file).map_err(|_| refused(format!("{name} is not an NVMe namespace")))?;
    let capabilities = controller(file).map_err(|error| unasked(&error))?;
    if !method.is_supported_by(&capabilities) {
        return Err(refused(format!("the drive of {name} does not support this method")));
    }
    if method.sanitize_action().is_some() {
        let state = sanitize_log(file).map_err(|error| unasked(&error))?.state;
        if state == SanitizeState::InProgress {
            return Err(refused(format!("the drive of {name} is being sanitized already")));
        }
    }
    check_namespaces(method, &capabilities, own, &grants)
}

fn check_namespaces(
    method: Method,
    capabilities: &Controller,
    own: u32,
    grants: &[&WriteGrant],
) -> Result<(), Failure> {
    let file = grants[0].file();
    let nodes = namespace_nodes(file).map_err(|error| unasked(&error))?;
    let reached = if method.reaches_all(capabilities) { all(file, capabilities, &nodes, own) } else { Ok(vec![own]) };
    let reached = reached.map_err(|error| unasked(&error))?;
    let mut named = vec![own];
    for grant in &grants[1..] {
        let number = namespace_id(grant.file()).map_err(|_| refused("another target is not an NVMe namespace"))?;
        let theirs = namespace_nodes(grant.file()).map_err(|error| unasked(&error))?;
        if grant.is_partition() || theirs != nodes || !reached.contains(&number) {
            return Err(refused("the method does not reach all open targets"));
        }
        named.push(number);
    }
    let left: Vec<String> =
        reached.iter().filter(|number| !named.contains(number)).map(|number| told(*number, &nodes)).collect();
    if left.is_empty() {
        return Ok(());
    }
    Err(refused(format!("the method destroys all namespaces of the drive, also {}", left.join(", "))))
}

/// The IDs of all namespaces of the subsystem.
pub(super) fn all(file: &File, capabilities: &Controller, nodes: &[NamespaceNode], own: u32) -> io::Result<Vec<u32>> {
    let mut found = allocated_namespaces(file, capabilities)?;
    found.extend(nodes.iter().map(|each| each.namespace));
    found.push(own);
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn told(number: u32, nodes: &[NamespaceNode]) -> String {
    match nodes.iter().find(|each| each.namespace == number) {
        Some(node) => format!("namespace {number} ({})", node.name),
        None => format!("namespace {number} (without a block device, so its use cannot be checked)"),
    }
}

fn unasked(error: &io::Error) -> Failure {
    let message = format!("the drive did not answer what a purge would destroy: {error}");
    Failure { errno: error.raw_os_error(), ..refused(message) }
}

pub(super) fn refused(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::PurgeRefused, message)
}

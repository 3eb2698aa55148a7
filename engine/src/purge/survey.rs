//! What a drive offers to purge it, and what that would reach. Changes nothing.

use std::fs::File;
use std::path::Path;

use serde::Serialize;

use super::{Method, reach};
use crate::failure::Failure;
use crate::guard::{NamespaceNode, built_on, namespace_nodes};
use crate::nvme::{Controller, NamespaceFormat, SanitizeLog, controller, namespace, namespace_id, sanitize_log};
use crate::target::open_to_read;

/// The limits of discards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DiscardLimits {
    /// The largest discard; 0 if the device does not support any.
    pub max_bytes: u64,
    /// Smaller parts of a discard may be ignored.
    pub granularity_bytes: u64,
}

/// What an NVMe drive offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NvmeSurvey {
    /// The namespace ID of the device.
    pub namespace_id: u32,
    /// The capabilities of its controller.
    pub controller: Controller,
    /// Its size and format.
    pub format: NamespaceFormat,
    /// The Sanitize Status log page; None if Sanitize is not supported.
    pub sanitize: Option<SanitizeLog>,
    /// All namespaces of the subsystem that have a block device.
    pub nodes: Vec<NamespaceNode>,
    /// The IDs of all namespaces of the subsystem, ascending.
    pub namespaces: Vec<u32>,
    /// Why they could not be listed.
    pub unlisted: Option<String>,
    /// The methods that it supports.
    pub methods: Vec<Method>,
    /// Those that reach all namespaces.
    pub reaching_all: Vec<Method>,
}

/// What a device offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// Its size.
    pub size_bytes: u64,
    /// Whether it is a partition.
    pub is_partition: bool,
    /// The limits of discards.
    pub discard: DiscardLimits,
    /// What an NVMe drive offers; None for any other device, for a partition, and for what is built on a drive.
    pub nvme: Option<NvmeSurvey>,
    /// Why an NVMe drive could not be asked.
    pub nvme_error: Option<String>,
}

const NVME_METHODS: [Method; 5] =
    [Method::Format, Method::CryptoFormat, Method::SanitizeBlock, Method::SanitizeCrypto, Method::SanitizeOverwrite];

/// Asks the block device at a path.
pub fn survey_path(path: &Path) -> Result<Survey, Failure> {
    let (file, limits) = open_to_read(path)?;
    let size_bytes = limits.size_bytes;
    let discard =
        DiscardLimits { max_bytes: limits.discard_max_bytes, granularity_bytes: limits.discard_granularity_bytes };
    let plain = Survey { size_bytes, is_partition: limits.is_partition, discard, nvme: None, nvme_error: None };
    let is_stacked = !built_on(&file).is_ok_and(|below| below.is_empty());
    if limits.is_partition || is_stacked || namespace_id(&file).is_err() {
        return Ok(plain);
    }
    Ok(match survey_nvme(&file) {
        Ok(nvme) => Survey { nvme: Some(nvme), ..plain },
        Err(error) => Survey { nvme_error: Some(error.to_string()), ..plain },
    })
}

fn survey_nvme(file: &File) -> std::io::Result<NvmeSurvey> {
    let own = namespace_id(file)?;
    let controller = controller(file)?;
    let format = namespace(file)?;
    let sanitize = if controller.sanitizes() { sanitize_log(file).ok() } else { None };
    let nodes = namespace_nodes(file)?;
    let (namespaces, unlisted) = match reach::all(file, &controller, &nodes, own) {
        Ok(all) => (all, None),
        Err(error) => (nodes.iter().map(|each| each.namespace).collect(), Some(error.to_string())),
    };
    let methods: Vec<Method> = NVME_METHODS.into_iter().filter(|each| each.is_supported_by(&controller)).collect();
    let reaching_all = methods.iter().copied().filter(|each| each.reaches_all(&controller)).collect();
    Ok(NvmeSurvey {
        namespace_id: own,
        controller,
        format,
        sanitize,
        nodes,
        namespaces,
        unlisted,
        methods,
        reaching_all,
    })
}

//! NVMe admin commands through the kernel's passthrough. In: an open handle of a namespace. Out: what the controller
//! answers. Commands that destroy data take a [`WriteGrant`](crate::guard::WriteGrant), and address the namespace of
//! its handle: no namespace can be named.

mod admin;
mod erase;
mod feature;
mod identify;
mod ioctl;
mod log;

pub use admin::{
    NvmeStatus, allocated_namespaces, controller, identify_controller, log_page, namespace, namespace_id, sanitize_log,
};
pub use erase::{FormatErase, SanitizeAction, format, sanitize};
pub use feature::{has_volatile_cache, set_write_cache, write_cache};
pub use identify::{Controller, DeallocatedReads, IDENTIFY_BYTES, NamespaceFormat};
pub use log::{PROGRESS_END, SanitizeEstimates, SanitizeLog, SanitizeState};

//! The protocol: commands in, events out, one JSON object per line. See docs/protocol.md. In: bytes. Out: checked
//! commands, and lines for the front end.

mod command;
mod event;
mod line;

pub use command::{Access, Command, LedgerSpec, NumberedCommand, TargetSpec};
pub use event::{Event, Hello, Opened};
pub use line::{LINE_BYTES_MAX, Line, read_line};

/// The protocol's version number. The front end refuses any other.
pub const PROTOCOL: u32 = 2;

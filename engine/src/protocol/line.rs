//! Lines of bounded length.

use std::io::{self, BufRead};

/// The longest command line.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// The result of reading a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its newline.
    Whole(Vec<u8>),
    /// A line longer than the bound. It was read to its end and discarded.
    TooLong,
    /// The end of the input.
    End,
}

/// Reads a line, and buffers no more than the bound. A last line without a newline counts as the end of the input,
/// because it is incomplete.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Line> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let available = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if available.is_empty() {
            return Ok(Line::End);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        if line.len() + part.len() > LINE_BYTES_MAX {
            too_long = true;
            line.clear();
        } else if !too_long {
            line.extend_from_slice(part);
        }
        let used = end.map_or(available.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(if too_long { Line::TooLong } else { Line::Whole(line) });
        }
    }
}

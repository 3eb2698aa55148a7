//! `iosonde-engine`: JSON lines in on stdin, JSON lines out on stdout. See docs/protocol.md.

use std::io::{stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    iosonde_engine::parent::end_with_parent();
    match iosonde_engine::session::serve(stdin(), stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

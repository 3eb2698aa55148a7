//! Creates files. A file gets its name only when it has its mark, so a killed engine leaves no file without one.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, OFlags, XattrFlags, fsetxattr, fstat, linkat};

use super::Identity;
use super::open::{birth_ns, identity, open_failure};
use crate::failure::Failure;

/// A file that was just created, and is empty.
#[derive(Debug)]
pub struct CreatedFile {
    /// Its identity.
    pub identity: Identity,
    /// Whether its mark could be set.
    pub marked: bool,
    pub(super) file: File,
}

/// The extended attribute that marks files created by iosonde.
const MARK: &str = "user.iosonde.made";

/// Creates a file, which must not exist, and sets its mark if the file system supports extended attributes.
pub fn create(path: &Path, mark: Option<&str>) -> Result<CreatedFile, Failure> {
    let (file, marked) = match create_unnamed(path, mark) {
        Some(unnamed) => match name(&unnamed.0, path) {
            Ok(()) => (reopened(path, &unnamed.0).unwrap_or(unnamed.0), unnamed.1),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(open_failure(path, &error)),
            // This file system has no links, so the file gets its name first.
            Err(_) => create_named(path, mark)?,
        },
        None => create_named(path, mark)?,
    };
    let facts = fstat(&file).map_err(|error| open_failure(path, &error.into()))?;
    let identity = Identity { born_ns: birth_ns(&file), ..identity(&facts) };
    Ok(CreatedFile { identity, marked, file })
}

/// A file without a name, in the directory of the path, with its mark. None if that is not possible: not all file
/// systems support it.
fn create_unnamed(path: &Path, mark: Option<&str>) -> Option<(File, bool)> {
    let directory = match path.parent()? {
        empty if empty.as_os_str().is_empty() => Path::new("."),
        directory => directory,
    };
    let flags = i32::try_from(OFlags::TMPFILE.bits()).ok()?;
    let file = options().custom_flags(flags).open(directory).ok()?;
    let marked = set_mark(&file, mark);
    Some((file, marked))
}

fn name(file: &File, path: &Path) -> io::Result<()> {
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// The handle of a file by its name. The kernel reports a handle from before the name as one of a deleted file, which
/// hides where the file is moved to. None if another file has come to the name.
fn reopened(path: &Path, unnamed: &File) -> Option<File> {
    let flags = i32::try_from(OFlags::NOFOLLOW.bits()).ok()?;
    let file = options().custom_flags(flags).open(path).ok()?;
    let (own, found) = (fstat(unnamed).ok()?, fstat(&file).ok()?);
    ((own.st_dev, own.st_ino) == (found.st_dev, found.st_ino)).then_some(file)
}

fn create_named(path: &Path, mark: Option<&str>) -> Result<(File, bool), Failure> {
    let file = options().create_new(true).open(path).map_err(|error| open_failure(path, &error))?;
    let marked = set_mark(&file, mark);
    Ok((file, marked))
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
}

fn set_mark(file: &File, mark: Option<&str>) -> bool {
    mark.is_some_and(|mark| fsetxattr(file, MARK, mark.as_bytes(), XattrFlags::CREATE).is_ok())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::fs::getxattr;
    use rustix::io::Errno;

    use super::{MARK, create};
    use crate::failure::FailureKind;

    #[test]
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn a_created_file_has_its_mark_from_the_moment_it_has_a_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made");
        if !create(&path, Some("marked")).expect("a file").marked {
            eprintln!("skipped: this file system has no extended attributes");
            return;
        }
        fs::remove_file(&path).expect("removed");
        let done = AtomicBool::new(false);
        let (seen, unmarked) = thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let (mut seen, mut unmarked) = (0, 0);
                while !done.load(Ordering::Relaxed) {
                    match getxattr(&path, MARK, &mut [0_u8; 16]) {
                        Ok(_) => seen += 1,
                        Err(Errno::NODATA) => unmarked += 1,
                        Err(_) => {}
                    }
                }
                (seen, unmarked)
            });
            let until = Instant::now() + Duration::from_millis(500);
            while Instant::now() < until {
                create(&path, Some("marked")).expect("a file");
                fs::remove_file(&path).expect("removed");
            }
            done.store(true, Ordering::Relaxed);
            watcher.join().expect("the watcher ends")
        });
        assert!(seen > 0, "the file was never seen");
        assert_eq!(unmarked, 0, "the file was seen {seen} times with its mark");
    }

    #[test]
    fn creating_a_file_never_replaces_what_has_the_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let theirs = folder.path().join("theirs");
        fs::write(&theirs, b"theirs").expect("written");
        let linked = folder.path().join("linked");
        symlink(folder.path().join("missing"), &linked).expect("linked");
        for path in [&theirs, &linked, &folder.path().to_path_buf()] {
            let failure = create(path, Some("marked")).expect_err("this should be refused");
            assert_eq!(failure.kind, FailureKind::TargetExists, "{}", path.display());
        }
        assert_eq!(fs::read(&theirs).expect("read"), b"theirs");
        assert!(!folder.path().join("missing").exists());
    }
}

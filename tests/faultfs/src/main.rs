//! A file system with one file in memory, `file`. Commands on standard input, one per line, make it fail:
//!
//! - `eio OFFSET LENGTH`: reads and writes that overlap this range fail with EIO.
//! - `short BYTES`: a read or write transfers at most this many bytes.
//! - `delay MS`: replies to reads, writes and fsyncs are delayed.
//! - `hang`: no reply to reads, writes and fsyncs.
//! - `hang-fsync`, `hang-read`, `hang-open`, `hang-close`: no reply to this one operation.
//! - `freeze`: no reply to any request.
//! - `go`: ends all of these, and sends the pending replies.
//! - `cut BYTES`: changes the size of the file.
//! - `reads`: prints the number of reads since the start or the last `go`.
//!
//! The reply to `reads` is a number, to the others `ok`. The file system is unmounted when standard input ends.
//!
//! Usage: faultfs MOUNTPOINT SIZE_BYTES

use std::ffi::OsStr;
use std::io::{BufRead, Write, stdin, stdout};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{sleep, spawn};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request,
    TimeOrNow, WriteFlags,
};

const FILE: INodeNo = INodeNo(2);
/// The kernel caches no entry or attribute, so every request arrives here.
const NOT_KEPT: Duration = Duration::ZERO;

type Answer = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    fails: Option<(u64, u64)>,
    moves_at_most: Option<usize>,
    delay: Duration,
    is_hanging: bool,
    is_fsync_hanging: bool,
    is_read_hanging: bool,
    is_open_hanging: bool,
    is_close_hanging: bool,
    is_frozen: bool,
    reads: u64,
    waiting: Vec<Answer>,
}

impl State {
    fn fails_at(&self, offset: u64, length: u64) -> bool {
        self.fails.is_some_and(|(from, count)| offset < from + count && from < offset + length)
    }

    fn moved(&self, offset: u64, length: usize) -> usize {
        let left = (self.bytes.len() as u64).saturating_sub(offset);
        length.min(usize::try_from(left).unwrap_or(usize::MAX)).min(self.moves_at_most.unwrap_or(usize::MAX))
    }
}

#[derive(Clone, Default)]
struct Faulty(Arc<Mutex<State>>);

impl Faulty {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nobody panics with it")
    }

    // Replies now, after the delay, or at the next `go`. `is_data` marks a read, write or fsync.
    fn answer(&self, is_data: bool, answer: impl FnOnce() + Send + 'static) {
        let mut state = self.state();
        let delay = state.delay;
        if state.is_frozen || (is_data && state.is_hanging) {
            state.waiting.push(Box::new(answer));
        } else if is_data && !delay.is_zero() {
            spawn(move || {
                sleep(delay);
                answer();
            });
        } else {
            drop(state);
            answer();
        }
    }

    // As `answer`, but waits for the next `go` if `hangs` is true.
    fn answer_unless(&self, hangs: fn(&State) -> bool, is_data: bool, answer: impl FnOnce() + Send + 'static) {
        let mut state = self.state();
        if hangs(&state) {
            state.waiting.push(Box::new(answer));
            return;
        }
        drop(state);
        self.answer(is_data, answer);
    }

    fn attributes(&self, inode: INodeNo) -> FileAttr {
        let is_file = inode == FILE;
        let size = if is_file { self.state().bytes.len() as u64 } else { 0 };
        FileAttr {
            ino: inode,
            size,
            blocks: size / 512,
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: if is_file { FileType::RegularFile } else { FileType::Directory },
            perm: if is_file { 0o600 } else { 0o755 },
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            flags: 0,
            blksize: 4096,
        }
    }

    // Executes a command and returns its reply, or None if the command is unknown.
    fn obey(&self, words: &[&str]) -> Option<String> {
        let numbers: Vec<u64> = words.iter().skip(1).filter_map(|word| word.parse().ok()).collect();
        let mut state = self.state();
        match (words.first().copied()?, &numbers[..]) {
            ("eio", [offset, length]) => state.fails = Some((*offset, *length)),
            ("short", [bytes]) => state.moves_at_most = usize::try_from(*bytes).ok(),
            ("delay", [milliseconds]) => state.delay = Duration::from_millis(*milliseconds),
            ("hang", []) => state.is_hanging = true,
            ("hang-fsync", []) => state.is_fsync_hanging = true,
            ("hang-read", []) => state.is_read_hanging = true,
            ("hang-open", []) => state.is_open_hanging = true,
            ("hang-close", []) => state.is_close_hanging = true,
            ("freeze", []) => state.is_frozen = true,
            ("cut", [bytes]) => state.bytes.resize(usize::try_from(*bytes).ok()?, 0),
            ("reads", []) => return Some(state.reads.to_string()),
            ("go", []) => {
                let bytes = std::mem::take(&mut state.bytes);
                let before = std::mem::replace(&mut *state, State { bytes, ..State::default() });
                drop(state);
                before.waiting.into_iter().for_each(|answer| answer());
            }
            _ => return None,
        }
        Some("ok".to_owned())
    }
}

impl Filesystem for Faulty {
    fn lookup(&self, _request: &Request, _parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = (name == "file").then(|| self.attributes(FILE));
        self.answer(false, move || match found {
            Some(attributes) => reply.entry(&NOT_KEPT, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        });
    }

    fn getattr(&self, _request: &Request, inode: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        let attributes = self.attributes(inode);
        self.answer(false, move || reply.attr(&NOT_KEPT, &attributes));
    }

    fn setattr(
        &self,
        _request: &Request,
        inode: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _handle: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        if let Some(size) = size.and_then(|size| usize::try_from(size).ok()) {
            self.state().bytes.resize(size, 0);
        }
        let attributes = self.attributes(inode);
        self.answer(false, move || reply.attr(&NOT_KEPT, &attributes));
    }

    fn open(&self, _request: &Request, _inode: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let answer = move || reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
        self.answer_unless(|state| state.is_open_hanging, false, answer);
    }

    fn flush(&self, _request: &Request, _inode: INodeNo, _handle: FileHandle, _owner: LockOwner, reply: ReplyEmpty) {
        self.answer_unless(|state| state.is_close_hanging, false, move || reply.ok());
    }

    fn read(
        &self,
        _request: &Request,
        _inode: INodeNo,
        _handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let mut state = self.state();
        state.reads += 1;
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let count = state.moved(offset, size as usize);
        let data =
            (!state.fails_at(offset, size.into())).then(|| state.bytes.get(from..from + count).unwrap_or(&[]).to_vec());
        drop(state);
        self.answer_unless(
            |state| state.is_read_hanging,
            true,
            move || match data {
                Some(data) => reply.data(&data),
                None => reply.error(Errno::EIO),
            },
        );
    }

    fn write(
        &self,
        _request: &Request,
        _inode: INodeNo,
        _handle: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let mut state = self.state();
        let fails = state.fails_at(offset, data.len() as u64);
        let count = state.moved(offset, data.len());
        if let Some(from) = usize::try_from(offset).ok().filter(|_| !fails && count > 0) {
            state.bytes[from..from + count].copy_from_slice(&data[..count]);
        }
        drop(state);
        self.answer(true, move || {
            if fails { reply.error(Errno::EIO) } else { reply.written(u32::try_from(count).unwrap_or(0)) }
        });
    }

    fn fsync(&self, _request: &Request, _inode: INodeNo, _handle: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        self.answer_unless(|state| state.is_fsync_hanging, true, move || reply.ok());
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, place, size] = &words[..] else { return Err("faultfs MOUNTPOINT SIZE_BYTES".into()) };
    let file_system = Faulty::default();
    file_system.state().bytes = vec![1; size.parse()?];
    let mut config = Config::default();
    config.mount_options = vec![MountOption::FSName("faultfs".to_owned())];
    let session = fuser::spawn_mount(file_system.clone(), place, &config)?;
    let mut output = stdout();
    writeln!(output, "ok")?;
    for line in stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = file_system.obey(&words).ok_or_else(|| format!("{line}: no command"))?;
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    // Pending requests would block the unmount.
    file_system.obey(&["go"]);
    // The unmount fails while a process has the file open. Exiting closes the FUSE connection, so that process gets
    // errors and does not block.
    if session.umount_and_join().is_err() {
        std::process::exit(1);
    }
    Ok(())
}

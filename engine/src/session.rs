//! Commands in, events out, until the front goes away.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::park_timeout;
use std::time::{Duration, Instant};

use crate::cell::{
    Bench, CALIBRATION_SPAN_BYTES, Setting, Verification, calibration, conduct, conduct_simulated, verify,
};
use crate::clock::{Clock, Monotonic, read_ns};
use crate::failure::{Failure, FailureKind};
use crate::host::memory_bytes_free;
use crate::job::{Job, TARGETS_MAX};
use crate::protocol::{
    Access, Command, Event, Hello, LINE_BYTES_MAX, LedgerSpec, Line, Numbered, TargetSpec, read_line,
};
use crate::sim::{Drive, FaultPlan, Model, VirtualClock, check_faults, flush_all};
use crate::target::{DeviceWanted, Made, Target, TargetKind, Wanted};
use crate::verify::Ledger;

/// Commands that may wait while a job runs. Those beyond are refused, so that a stop, and the end, are heard all the same.
const COMMANDS_WAITING_MAX: usize = 16;
/// The longest wait that may be asked for: a day.
const WAIT_NS_MAX: u64 = 86_400 * 1_000_000_000;

/// The ways to what is measured, the only ones that a session has.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// To files that it creates.
    pub make: fn(&Path, Option<&str>) -> Result<Made, Failure>,
    /// From a file that was created to one that is open.
    pub made: fn(&Path, Made, Wanted) -> Result<Target, Failure>,
    /// To files that exist.
    pub file: fn(&Path, Wanted) -> Result<Target, Failure>,
    /// To block devices.
    pub device: fn(&Path, &DeviceWanted) -> Result<Target, Failure>,
    /// To the ledger of a target.
    pub ledger: fn(LedgerSpec, &Target) -> Result<Ledger, Failure>,
}

/// Answers the commands of `input` on `output` until the input ends or nobody reads the output any more.
pub fn serve(input: impl Read + Send + 'static, output: impl Write) -> io::Result<()> {
    let ways = Ways {
        make: Target::make,
        made: Target::open_made,
        file: Target::open,
        device: Target::open_device,
        ledger: LedgerSpec::open,
    };
    serve_with(input, output, ways)
}

/// The same, with other ways to files and devices than opening what the commands name.
pub fn serve_with(input: impl Read + Send + 'static, output: impl Write, ways: Ways) -> io::Result<()> {
    let brake = Arc::new(Brake::default());
    let (sender, commands) = sync_channel(COMMANDS_WAITING_MAX);
    let heard = Arc::clone(&brake);
    std::thread::Builder::new()
        .name("commands".to_owned())
        .spawn(move || listen(BufReader::new(input), &sender, &heard))?;
    let mut session = Session {
        clock: Monotonic::start(),
        virtual_clock: VirtualClock::default(),
        output: BufWriter::new(output),
        ways,
        broken: None,
        targets: Vec::new(),
        drives: Vec::new(),
        brake,
    };
    session.send(&Event::Hello(Hello::here()));
    session.answer_all(&commands);
    session.broken.map_or(Ok(()), Err)
}

// Ends jobs early: the one that a stop names, or all of them once the front is gone.
#[derive(Default)]
struct Brake {
    stop: Arc<AtomicBool>,
    gone: AtomicBool,
    // Commands that found no room.
    refused: AtomicU64,
    named: Mutex<Named>,
}

// Jobs by the numbers of their commands.
#[derive(Default)]
struct Named {
    running: Option<u64>,
    stopped: Option<u64>,
}

impl Brake {
    fn named(&self) -> MutexGuard<'_, Named> {
        self.named.lock().expect("nobody panics who has it")
    }

    // A stop may come before its job has begun: whoever comes second, here or in `stop`, sets the flag.
    fn begin(&self, job: u64) {
        let mut named = self.named();
        named.running = Some(job);
        let is_stopped = named.stopped == Some(job) || self.gone.load(Ordering::SeqCst);
        self.stop.store(is_stopped, Ordering::SeqCst);
    }

    fn stop(&self, job: u64) {
        let mut named = self.named();
        named.stopped = Some(job);
        if named.running == Some(job) {
            self.stop.store(true, Ordering::SeqCst);
        }
    }

    fn stop_all(&self) {
        // Held so that no job begins between the two.
        let _named = self.named();
        self.gone.store(true, Ordering::SeqCst);
        self.stop.store(true, Ordering::SeqCst);
    }
}

// Runs on a thread of its own, so that a stop, or the front's death, is heard while a job runs.
fn listen(mut input: impl BufRead, commands: &SyncSender<Result<Numbered, Failure>>, brake: &Brake) {
    loop {
        let command = match read_line(&mut input) {
            Ok(Line::Whole(line)) => understand(&line),
            Ok(Line::TooLong) => {
                Err(Failure::new(FailureKind::Protocol, format!("a line of more than {LINE_BYTES_MAX} bytes")))
            }
            Ok(Line::End) | Err(_) => break,
        };
        match command {
            Ok(Numbered { id, command: Command::Stop }) => brake.stop(id),
            other => match commands.try_send(other) {
                Ok(()) => (),
                Err(TrySendError::Full(_)) => drop(brake.refused.fetch_add(1, Ordering::SeqCst)),
                Err(TrySendError::Disconnected(_)) => break,
            },
        }
    }
    brake.stop_all();
}

fn understand(line: &[u8]) -> Result<Numbered, Failure> {
    serde_json::from_slice(line).map_err(|error| {
        let text = error.to_string();
        // A command is one line, and where in it the trouble is depends on blanks and order that mean nothing.
        let what = text.split(" at line ").next().unwrap_or(&text);
        Failure::new(FailureKind::Protocol, format!("no command: {what}"))
    })
}

struct Session<W: Write> {
    clock: Monotonic,
    // The time of simulated drives.
    virtual_clock: VirtualClock,
    output: BufWriter<W>,
    ways: Ways,
    // Why no more events are sent: the front is gone, or what is asked of the target does not come back.
    broken: Option<io::Error>,
    // In the order in which they were opened.
    targets: Vec<Target>,
    // The simulated drives that targets stand for: of every target, or of none.
    drives: Vec<Drive>,
    brake: Arc<Brake>,
}

impl<W: Write> Session<W> {
    fn send(&mut self, event: &Event) {
        if self.broken.is_some() {
            return;
        }
        let sent = serde_json::to_writer(&mut self.output, event).map_err(io::Error::from);
        let sent = sent.and_then(|()| self.output.write_all(b"\n")).and_then(|()| self.output.flush());
        if let Err(error) = sent {
            self.broken.get_or_insert(error);
            self.brake.stop_all();
        }
    }

    fn answer_all(&mut self, commands: &Receiver<Result<Numbered, Failure>>) {
        while self.broken.is_none() {
            let event = match commands.recv() {
                Ok(Ok(Numbered { id, command })) => {
                    self.answer(id, command).unwrap_or_else(|failure| Event::error(Some(id), failure))
                }
                Ok(Err(failure)) => Event::error(None, failure),
                Err(_) => return self.answer_refused(),
            };
            self.send(&event);
            self.answer_refused();
        }
    }

    fn answer_refused(&mut self) {
        for _ in 0..self.brake.refused.swap(0, Ordering::SeqCst) {
            let message = format!("more than {COMMANDS_WAITING_MAX} commands were waiting, and this one was refused");
            self.send(&Event::error(None, Failure::new(FailureKind::Protocol, message)));
        }
    }

    fn answer(&mut self, id: u64, command: Command) -> Result<Event, Failure> {
        match command {
            Command::Open(spec) => {
                if self.targets.len() >= TARGETS_MAX as usize {
                    let message = format!("more than {TARGETS_MAX} targets can't be open");
                    return Err(Failure::new(FailureKind::Protocol, message));
                }
                let target = self.open(id, *spec)?;
                let event = Event::opened(id, &target);
                self.targets.push(target);
                Ok(event)
            }
            Command::Run { job } => self.run(id, &job),
            Command::Sync => {
                let before = self.now();
                if self.targets.is_empty() {
                    return Err(no_target());
                }
                self.targets.iter().try_for_each(Target::sync)?;
                flush_all(&mut self.drives, &self.virtual_clock)?;
                let duration_ns = self.now() - before;
                Ok(Event::Synced { id, duration_ns })
            }
            Command::Verify => self.verify(id),
            Command::Wait { duration_ns } => {
                let duration_ns = duration_ns.min(WAIT_NS_MAX);
                if self.drives.is_empty() {
                    self.wait(duration_ns);
                } else {
                    self.virtual_clock.check(duration_ns)?;
                    self.virtual_clock.move_to(self.virtual_clock.now() + duration_ns);
                }
                Ok(Event::Waited { id })
            }
            Command::Calibrate => self.calibrate(id),
            Command::Close => {
                if std::mem::take(&mut self.targets).is_empty() {
                    return Err(no_target());
                }
                self.drives.clear();
                Ok(Event::Closed { id })
            }
            Command::Stop => unreachable!("the listener keeps stops to itself"),
        }
    }

    // The time that the open targets live in.
    fn now(&self) -> u64 {
        if self.drives.is_empty() { self.clock.now() } else { self.virtual_clock.now() }
    }

    // Opens a target; one that is simulated comes with its drive.
    fn open(&mut self, id: u64, spec: TargetSpec) -> Result<Target, Failure> {
        let is_simulated = matches!(spec, TargetSpec::Simulation { .. });
        if self.targets.iter().any(|target| (target.kind == TargetKind::Simulation) != is_simulated) {
            let message = "simulated drives live in a time of their own, and can't be measured beside others";
            return Err(Failure::new(FailureKind::Protocol, message));
        }
        match spec {
            TargetSpec::Simulation { model, seed, faults } => self.open_simulated(&model, seed, &faults),
            TargetSpec::Null { size_bytes } => Ok(Target::null(size_bytes)),
            TargetSpec::File { path, access, create, direct, size_bytes, mark, cpus_near, ledger } => {
                let write = access == Access::Write;
                if create != size_bytes.is_some() || (create && !write) {
                    let message =
                        "a file that is made has a size and is open for writing; one that is not, has neither";
                    return Err(Failure::new(FailureKind::Protocol, message));
                }
                let wanted = Wanted { write, create_bytes: size_bytes, direct };
                let mut target = if create {
                    let made = (self.ways.make)(&path, mark.as_deref())?;
                    self.send(&Event::Made { id, identity: made.identity, marked: made.marked });
                    (self.ways.made)(&path, made, wanted)?
                } else {
                    (self.ways.file)(&path, wanted)?
                };
                target.cpus_near = cpus_near;
                target.ledger = ledger.map(|spec| (self.ways.ledger)(spec, &target)).transpose()?.map(Arc::new);
                Ok(target)
            }
            TargetSpec::Device { path, generic, direct, cpus_near } => {
                let mut target = (self.ways.device)(&path, &DeviceWanted { direct, generic })?;
                target.cpus_near = cpus_near;
                Ok(target)
            }
        }
    }

    fn open_simulated(&mut self, model: &Model, seed: u64, faults: &[FaultPlan]) -> Result<Target, Failure> {
        model.check()?;
        let (needed, free) = (model.memory_bytes(), memory_bytes_free());
        if needed > free {
            let message = format!(
                "such a drive takes {needed} bytes of memory, and {free} are free: with a larger capacity_scale it takes less"
            );
            return Err(Failure::new(FailureKind::BadModel, message));
        }
        let drive = Drive::new(model, seed);
        let size_bytes = drive.simulated().size_bytes();
        check_faults(faults, size_bytes)?;
        self.virtual_clock.check(0)?;
        self.drives.push(drive.with_faults(faults, self.virtual_clock.now()));
        Ok(Target::simulation(size_bytes))
    }

    fn run(&mut self, id: u64, job: &Job) -> Result<Event, Failure> {
        let targets = std::mem::take(&mut self.targets);
        let mut drives = std::mem::take(&mut self.drives);
        let setting = self.setting(&targets);
        let clock = self.virtual_clock.clone();
        self.brake.begin(id);
        let session = std::cell::RefCell::new(&mut *self);
        let mut started = |engine_ns| session.borrow_mut().send(&Event::Started { id, engine_ns });
        let mut pass_on = |interval| session.borrow_mut().send(&Event::Interval { id, interval });
        // Whoever goes on with such a target may be held up in the kernel as well, so that this is the last word.
        let mut give_up = |result| {
            let mut session = session.borrow_mut();
            session.send(&Event::Finished { id, result: Box::new(result) });
            session.broken.get_or_insert_with(|| io::ErrorKind::TimedOut.into());
        };
        let result = if drives.is_empty() {
            conduct(job, &setting, &mut started, &mut pass_on, &mut give_up)
        } else {
            let stop = Arc::clone(&setting.stop);
            let mut bench = Bench { targets: &targets, drives: &mut drives, clock: &clock, stop };
            conduct_simulated(job, &mut bench, &mut started, &mut pass_on)
        };
        self.targets = targets;
        self.drives = drives;
        let result = Box::new(result?);
        Ok(Event::Finished { id, result })
    }

    // Reads back what the ledgers know of.
    fn verify(&mut self, id: u64) -> Result<Event, Failure> {
        let targets = std::mem::take(&mut self.targets);
        let stop = Arc::clone(&self.brake.stop);
        self.brake.begin(id);
        let found: Result<Vec<Verification>, Failure> = (0_u32..)
            .zip(&targets)
            .map(|(number, target)| {
                verify(target, &stop, &mut |read_bytes| {
                    self.send(&Event::Verifying { id, target: number, read_bytes });
                })
            })
            .collect();
        self.targets = targets;
        Ok(Event::Verified { id, targets: found? })
    }

    fn setting<'a>(&self, targets: &'a [Target]) -> Setting<'a> {
        Setting { targets, clock: self.clock, stop: Arc::clone(&self.brake.stop) }
    }

    fn wait(&self, duration_ns: u64) {
        let until = Instant::now() + Duration::from_nanos(duration_ns);
        while !self.brake.gone.load(Ordering::Relaxed) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            park_timeout(left.min(Duration::from_millis(20)));
        }
    }

    fn calibrate(&self, id: u64) -> Result<Event, Failure> {
        let (job, targets) = (calibration(), [Target::null(CALIBRATION_SPAN_BYTES)]);
        let setting = self.setting(&targets);
        self.brake.begin(id);
        let mut done = 0;
        let mut count = |interval: crate::cell::Interval| {
            if interval.phase == crate::record::Phase::Measure {
                done += interval.operations.values().map(|totals| totals.count).sum::<u64>();
            }
        };
        let result = conduct(&job, &setting, &mut |_| {}, &mut count, &mut |_| {})?;
        let overhead_ns_per_io = result.measured_ns / done.max(1);
        Ok(Event::Calibrated { id, overhead_ns_per_io, clock_read_ns: read_ns(&self.clock) })
    }
}

fn no_target() -> Failure {
    Failure::new(FailureKind::NoTarget, "no target is open")
}

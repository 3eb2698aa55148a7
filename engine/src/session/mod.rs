//! A session: executes commands and sends events, until the input ends.

mod awake;
mod caches;
mod ledgers;
mod open_target;
mod opening;
mod purging;
mod stop_control;
mod target_opener;

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::park_timeout;
use std::time::{Duration, Instant};

use awake::{LATENCY_LIMIT, keep_awake};
use stop_control::{StopControl, read_commands};
pub use target_opener::{OpenByPath, TargetOpener};

use crate::cell::{
    CALIBRATION_SPAN_BYTES, Interval, JobContext, JobResult, SimulatedContext, calibration, run_job, run_simulated_job,
};
use crate::clock::{Clock, Monotonic, read_ns};
use crate::failure::{Failure, FailureKind};
use crate::job::{Job, Limits};
use crate::protocol::{Command, Event, Hello, NumberedCommand};
use crate::purge::{Extent, Samples};
use crate::record::Phase;
use crate::sim::{Drive, VirtualClock, flush_all};
use crate::target::{Target, sync_all};
use crate::watchdog::{Deadlines, WatchedThread, waiting_for};

/// The maximum number of commands that wait while another runs. Further commands are rejected, so that the session
/// always reads a stop and the end of the input.
const COMMANDS_WAITING_MAX: usize = 16;
/// The longest wait: one day.
const WAIT_NS_MAX: u64 = 86_400 * 1_000_000_000;

/// Executes the commands of `input` and writes events to `output`, until the input ends or the output is closed.
///
/// An error of kind `TimedOut` means that a target did not respond and a thread still waits for it. The process must
/// then exit.
pub fn serve(input: impl Read + Send + 'static, output: impl Write) -> io::Result<()> {
    serve_with(input, output, OpenByPath)
}

/// Like [`serve`], with another [`TargetOpener`].
pub fn serve_with(input: impl Read + Send + 'static, output: impl Write, opener: impl TargetOpener) -> io::Result<()> {
    serve_within(input, output, opener, [Deadlines::COMMAND, Deadlines::JOB])
}

/// Like [`serve_with`], with other deadlines: for commands, and for the phases of a job before and after its
/// measurement.
pub fn serve_within(
    input: impl Read + Send + 'static,
    mut output: impl Write,
    opener: impl TargetOpener,
    deadlines: [Deadlines; 2],
) -> io::Result<()> {
    let stop_control = Arc::new(StopControl::default());
    let (sender, commands) = sync_channel(COMMANDS_WAITING_MAX);
    let heard = Arc::clone(&stop_control);
    std::thread::Builder::new()
        .name("commands".to_owned())
        .spawn(move || read_commands(BufReader::new(input), &sender, &heard))?;
    answer_to(&mut output, &commands, stop_control, Arc::new(opener), deadlines)
}

// Does not depend on the types of input and output, so that it is compiled once for all of them.
fn answer_to(
    output: &mut dyn Write,
    commands: &Receiver<Result<NumberedCommand, Failure>>,
    stop_control: Arc<StopControl>,
    opener: Arc<dyn TargetOpener>,
    deadlines: [Deadlines; 2],
) -> io::Result<()> {
    let mut session = Session {
        clock: Monotonic::start(),
        virtual_clock: VirtualClock::default(),
        output: BufWriter::new(output),
        opener,
        deadlines,
        thread: Arc::new(WatchedThread::start()?),
        is_given_up: false,
        output_error: None,
        targets: Vec::new(),
        drives: Vec::new(),
        samples: Vec::new(),
        stop_control,
        limits: Limits::default(),
        awake: None,
    };
    session.send(&Event::Hello(Hello::here()));
    session.answer_all(commands);
    session.end()
}

// Messages from the thread that runs a job.
enum JobEvent {
    Started(u64),
    Interval(Interval),
    Deciding(u64),
    // The result before the final checks of the targets.
    Measured(Box<JobResult>),
}

struct Session<'a> {
    clock: Monotonic,
    // The clock of simulated drives.
    virtual_clock: VirtualClock,
    output: BufWriter<&'a mut dyn Write>,
    opener: Arc<dyn TargetOpener>,
    deadlines: [Deadlines; 2],
    // Runs everything that may wait for a target.
    thread: Arc<WatchedThread>,
    // Whether a target did not respond. The event that reports this is the last one.
    is_given_up: bool,
    // Why no more events are sent: the output is closed.
    output_error: Option<io::Error>,
    // In the order in which they were opened.
    targets: Vec<Target>,
    // The simulated drives of the targets: one for each target, or none at all.
    drives: Vec<Drive>,
    // What places of the targets held before a purge; empty unless they were sampled.
    samples: Vec<Samples>,
    stop_control: Arc<StopControl>,
    limits: Limits,
    // Open while the CPUs are kept out of idle states.
    awake: Option<File>,
}

impl Session<'_> {
    fn send(&mut self, event: &Event) {
        if self.output_error.is_some() {
            return;
        }
        let sent = serde_json::to_writer(&mut self.output, event).map_err(io::Error::from);
        let sent = sent.and_then(|()| self.output.write_all(b"\n")).and_then(|()| self.output.flush());
        if let Err(error) = sent {
            self.output_error.get_or_insert(error);
            self.stop_control.stop_all();
        }
    }

    fn answer_all(&mut self, commands: &Receiver<Result<NumberedCommand, Failure>>) {
        while self.output_error.is_none() && !self.is_given_up {
            let event = match commands.recv() {
                Ok(Ok(NumberedCommand { id, command })) => {
                    self.answer(id, command).unwrap_or_else(|failure| Event::error(Some(id), failure))
                }
                Ok(Err(failure)) => Event::error(None, failure),
                Err(_) => return self.answer_refused(),
            };
            self.send(&event);
            if !self.is_given_up {
                self.answer_refused();
            }
        }
    }

    // Closes all targets. Closing a file may block as well.
    fn end(mut self) -> io::Result<()> {
        if !self.is_given_up {
            // The result does not matter: the front end is gone.
            let _ = self.close();
        }
        if self.is_given_up {
            std::mem::forget(std::mem::take(&mut self.targets));
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.output_error.map_or(Ok(()), Err)
    }

    // Runs work that may wait for targets on the watched thread. The work owns the targets that it uses. If they do not
    // respond, the session ends.
    fn run_watched<S: Send + 'static, T: Send + 'static>(
        &mut self,
        deadlines: Deadlines,
        work: impl FnOnce(&mut dyn FnMut(S)) -> T + Send + 'static,
        heard: &mut dyn FnMut(&mut Self, S) -> ControlFlow<Failure>,
    ) -> Result<T, Failure> {
        let (thread, stop_requested) = (Arc::clone(&self.thread), Arc::clone(&self.stop_control.stop_requested));
        let ended = thread.run(deadlines, &stop_requested, work, &mut |event| heard(self, event));
        self.is_given_up |= ended.is_err();
        ended
    }

    fn answer_refused(&mut self) {
        for _ in 0..self.stop_control.refused.swap(0, Ordering::SeqCst) {
            let message = format!("a command was rejected because {COMMANDS_WAITING_MAX} others were already queued");
            self.send(&Event::error(None, Failure::new(FailureKind::Protocol, message)));
        }
    }

    fn answer(&mut self, id: u64, command: Command) -> Result<Event, Failure> {
        self.stop_control.begin(id);
        match command {
            Command::Open(spec) => self.open(id, *spec),
            Command::Inspect { path } => self.inspect(id, path),
            Command::Health { path } => self.health(id, path),
            Command::Limit(spec) => {
                self.limits.tighten(spec);
                Ok(Event::Limited { id })
            }
            Command::HoldCstates => {
                self.awake = Some(keep_awake(Path::new(LATENCY_LIMIT))?);
                Ok(Event::CstatesHeld { id })
            }
            Command::Survey { path } => self.survey(id, path),
            Command::Sample { method, places, seed } => self.sample(id, method, Extent { places, seed }),
            Command::Purge { method } => self.purge(id, method),
            Command::PurgeSimulated => {
                let now_ns = self.virtual_clock.now();
                let purged = self.drives.iter_mut().map(|drive| drive.simulation().purge(now_ns)).collect();
                Ok(Event::SimulatedPurged { id, purged })
            }
            Command::ReadBack => self.read_back(id),
            Command::SurveyCache { path } => self.survey_cache(id, path),
            Command::SetCaches { states } => self.set_caches(id, states),
            Command::RestoreCache(kept) => self.restore_cache(id, kept),
            Command::Run { job } if self.drives.is_empty() => self.run(id, job),
            Command::Run { job } => self.run_simulated(id, &job),
            Command::Sync => {
                let before = self.now();
                self.sync()?;
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
                if self.targets.is_empty() {
                    return Err(no_target());
                }
                self.close()?;
                Ok(Event::Closed { id })
            }
            Command::Continue | Command::Stop => unreachable!("the listener handles decisions and stops"),
        }
    }

    // The current time on the clock that the open targets use.
    fn now(&self) -> u64 {
        if self.drives.is_empty() { self.clock.now() } else { self.virtual_clock.now() }
    }

    fn run(&mut self, id: u64, job: Box<Job>) -> Result<Event, Failure> {
        let targets = std::mem::take(&mut self.targets);
        let (clock, stop, limits) = (self.clock, Arc::clone(&self.stop_control.stop), self.limits.clone());
        let work = move |say: &mut dyn FnMut(JobEvent)| {
            let context = JobContext { targets: &targets, clock, stop, limits };
            let say = RefCell::new(say);
            let mut started = |engine_ns| say.borrow_mut()(JobEvent::Started(engine_ns));
            let mut pass_on = |interval| say.borrow_mut()(JobEvent::Interval(interval));
            let mut deciding = |measured_ns| say.borrow_mut()(JobEvent::Deciding(measured_ns));
            let mut measured = |result| say.borrow_mut()(JobEvent::Measured(Box::new(result)));
            let result = run_job(&job, &context, &mut started, &mut pass_on, &mut deciding, &mut measured);
            (targets, result)
        };
        let mut measured: Option<Box<JobResult>> = None;
        let ended = self.run_watched(self.deadlines[1], work, &mut |session, event| {
            match event {
                JobEvent::Started(engine_ns) => session.send(&Event::Started { id, engine_ns }),
                JobEvent::Interval(interval) => session.send(&Event::Interval { id, interval }),
                JobEvent::Deciding(measured_ns) => session.send(&Event::Deciding { id, measured_ns }),
                JobEvent::Measured(result) => {
                    let stuck = result.failure.clone().filter(|failure| failure.kind == FailureKind::Stuck);
                    measured = Some(result);
                    // Ends the session, because further calls on this target may block in the kernel as well.
                    return stuck.map_or(ControlFlow::Continue(()), ControlFlow::Break);
                }
            }
            ControlFlow::Continue(())
        });
        match (ended, measured) {
            (Ok((targets, result)), _) => {
                self.targets = targets;
                Ok(Event::Finished { id, result: Box::new(result?) })
            }
            (Err(failure), Some(mut result)) => {
                result.fail(failure);
                Ok(Event::Finished { id, result })
            }
            (Err(failure), None) => Err(failure),
        }
    }

    fn run_simulated(&mut self, id: u64, job: &Job) -> Result<Event, Failure> {
        let targets = std::mem::take(&mut self.targets);
        let mut drives = std::mem::take(&mut self.drives);
        let clock = self.virtual_clock.clone();
        let (stop, limits) = (Arc::clone(&self.stop_control.stop), self.limits.clone());
        let session = RefCell::new(&mut *self);
        let mut started = |engine_ns| session.borrow_mut().send(&Event::Started { id, engine_ns });
        let mut pass_on = |interval| session.borrow_mut().send(&Event::Interval { id, interval });
        let mut deciding = |measured_ns| session.borrow_mut().decide(id, measured_ns);
        let mut context = SimulatedContext { targets: &targets, drives: &mut drives, clock: &clock, stop, limits };
        let result = run_simulated_job(job, &mut context, &mut started, &mut pass_on, &mut deciding);
        self.targets = targets;
        self.drives = drives;
        Ok(Event::Finished { id, result: Box::new(result?) })
    }

    // Asks the front end whether a job continues, and waits for the answer.
    fn decide(&mut self, id: u64, measured_ns: u64) {
        self.stop_control.begin_decision();
        self.send(&Event::Deciding { id, measured_ns });
        self.stop_control.wait_for_decision(id);
    }

    fn sync(&mut self) -> Result<(), Failure> {
        if self.targets.is_empty() {
            return Err(no_target());
        }
        if !self.drives.is_empty() {
            return flush_all(&mut self.drives, &self.virtual_clock);
        }
        let targets = std::mem::take(&mut self.targets);
        let work = move |_: &mut dyn FnMut(())| {
            let result = sync_all(&targets);
            (targets, result)
        };
        let (targets, result) = self.run_watched(self.deadlines[0], work, &mut |_, ()| ControlFlow::Continue(()))?;
        self.targets = targets;
        result
    }

    // Closes all targets.
    fn close(&mut self) -> Result<(), Failure> {
        self.drives.clear();
        self.samples.clear();
        let targets = std::mem::take(&mut self.targets);
        let work = move |_: &mut dyn FnMut(())| {
            for target in targets {
                waiting_for(format!("closing {}", target.path().display()), target.progress_source());
                drop(target);
            }
        };
        self.run_watched(self.deadlines[0], work, &mut |_, ()| ControlFlow::Continue(()))
    }

    fn wait(&self, duration_ns: u64) {
        let until = Instant::now() + Duration::from_nanos(duration_ns);
        while !self.stop_control.stop_requested.load(Ordering::Relaxed) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            park_timeout(left.min(Duration::from_millis(20)));
        }
    }

    fn calibrate(&mut self, id: u64) -> Result<Event, Failure> {
        let (clock, stop) = (self.clock, Arc::clone(&self.stop_control.stop));
        let work = move |_: &mut dyn FnMut(())| {
            let targets = [Target::null(CALIBRATION_SPAN_BYTES)];
            let context = JobContext { targets: &targets, clock, stop, limits: Limits::default() };
            let mut done = 0;
            let mut count = |interval: Interval| {
                if interval.phase == Phase::Measure {
                    done += interval.operations.values().map(|totals| totals.count).sum::<u64>();
                }
            };
            let result = run_job(&calibration(), &context, &mut |_| {}, &mut count, &mut |_| {}, &mut |_| {})?;
            Ok(result.measured_ns / done.max(1))
        };
        let overhead_ns_per_io =
            self.run_watched(self.deadlines[1], work, &mut |_, ()| ControlFlow::Continue(()))??;
        Ok(Event::Calibrated { id, overhead_ns_per_io, clock_read_ns: read_ns(&self.clock) })
    }
}

fn no_target() -> Failure {
    Failure::new(FailureKind::NoTarget, "no target is open")
}

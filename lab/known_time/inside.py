"""Inside the guest: makes the devices, measures every cell by iosonde and by fio, and leaves a JSON line for each."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from lab.known_time.cells import BUCKET_NS, BUCKETS, CELLS, DEVICES, FLOOR_BUCKET_NS, TURNS, Cell, Device

CONFIGFS: Final = Path("/sys/kernel/config")
TRACEFS: Final = Path("/sys/kernel/tracing")
SEEN: Final = Path("/lab/seen.jsonl")
SCRATCH: Final = Path("/tmp")  # noqa: S108 - the guest is gone afterwards
# bpftrace needs 5 s here to begin, and less than a second to end; now and then it does not end at all, and the cell is
# measured again.
ATTACHING_S_MAX: Final = 60
ENDING_S_MAX: Final = 15
TRACES_MAX: Final = 3
# On a host that is so busy that a turn takes longer, it is the only one: the guest has ten minutes in all.
TURN_S_MAX: Final = 210
TOOL_S_MAX: Final = 60
# A request is known by its sector. Of those in flight together hardly two ever read the same one.
PROGRAM: Final = """
tracepoint:block:block_rq_issue { @since[args->dev, args->sector] = nsecs; }
tracepoint:block:block_rq_complete /@since[args->dev, args->sector]/ {
    $took = nsecs - @since[args->dev, args->sector];
    delete(@since[args->dev, args->sector]);
    @count = count(); @sum = sum($took); @min = min($took);
    @buckets = lhist($took, LOW, HIGH, STEP);
}
BEGIN { printf("attached\\n"); }
END { clear(@since); }
"""


def make(device: Device) -> None:
    """Makes a device of null_blk, with a queue for each CPU."""
    folder = CONFIGFS / "nullb" / device.name
    folder.mkdir()
    settings = {
        "memory_backed": 0,
        "size": 1024,
        "blocksize": 4096,
        "queue_mode": 2,
        "submit_queues": 2,
        "poll_queues": device.poll_queues,
        "hw_queue_depth": 512,
        "irqmode": 2 if device.set_ns else 0,
        "completion_nsec": device.set_ns,
        "power": 1,
    }
    for name, value in settings.items():
        (folder / name).write_text(str(value))
    (Path("/sys/block") / device.name / "queue/scheduler").write_text("none")


def counted(device: Device) -> tuple[int, int]:
    """Reads that the kernel has completed on a device, and the milliseconds that they took in sum."""
    fields = (Path("/sys/block") / device.name / "stat").read_text().split()
    return int(fields[0]), int(fields[3])


@contextmanager
def traced(cell: Cell, into: dict[str, Any]) -> Iterator[None]:
    """Has bpftrace follow each request from its issue to its completion, and keeps what it says, if it does."""
    output, low = SCRATCH / "traced", cell.device.set_ns
    step = BUCKET_NS if low else FLOOR_BUCKET_NS
    program = PROGRAM
    for name, value in (("LOW", low), ("HIGH", low + BUCKETS * step), ("STEP", step)):
        program = program.replace(name, str(value))
    output.unlink(missing_ok=True)
    process = subprocess.Popen(["bpftrace", "-f", "json", "-o", output, "-e", program])
    deadline = time.monotonic() + ATTACHING_S_MAX
    while not output.exists() or '"attached' not in output.read_text():
        assert process.poll() is None, "bpftrace ended"
        assert time.monotonic() < deadline, "bpftrace does not attach"
        time.sleep(0.1)
    yield
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=ENDING_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return
    said = [json.loads(line) for line in output.read_text().splitlines() if line]
    into["trace"] = {
        name.removeprefix("@"): value
        for each in said
        if each["type"] in {"map", "hist"}
        for name, value in each["data"].items()
    }


def by_iosonde(cell: Cell) -> dict[str, Any]:
    """What ``iosonde probe --json`` says, run by a child of this process, which has loaded its libraries already."""
    words = ["probe", f"/dev/{cell.device.name}", "--json", "--engine", "io_uring", "--poll", cell.poll]
    words += ["--queue-depth", str(cell.queue_depth), "--jobs", str(cell.jobs)]
    words += ["--warmup", "0s", "--duration", f"{cell.duration_s}s"]
    output = SCRATCH / "iosonde.json"
    child = os.fork()
    if child == 0:
        from iosonde.__main__ import start

        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        sys.argv = ["iosonde", *words]
        start()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"iosonde {' '.join(words)}: {status}"
    document = json.loads(output.read_text())
    ran, seen = document["run"]["cells"][0], document["cells"][0]["operations"]["read"]
    assert ran["engine"]["poll_mode"] == cell.poll, ran["engine"]
    percentiles = {each["percent"]: each["value_ns"] for each in seen["percentiles"]}
    return {
        "count": seen["count"],
        "min_ns": seen["latency_ns_min"],
        "p50_ns": percentiles[50.0],
        "p99_ns": percentiles[99.0],
        "sum_ns": ran["operations"]["read"]["latency_ns_sum"],
        "censored": ran["censored"]["count"],
        "censored_ns_max": ran["censored"]["latency_ns_max"] or 0,
    }


def by_fio(cell: Cell) -> dict[str, Any]:
    """What fio says: from before a read is submitted to when it is reaped, as iosonde counts."""
    words = ["fio", "--name=beside", f"--filename=/dev/{cell.device.name}", "--readonly", "--rw=randread", "--bs=4k"]
    words += ["--direct=1", "--ioengine=io_uring", "--fixedbufs", "--registerfiles", "--norandommap", "--randrepeat=0"]
    words += [f"--iodepth={cell.queue_depth}", f"--numjobs={cell.jobs}", "--group_reporting", "--time_based"]
    words += [f"--runtime={cell.duration_s}", "--clocksource=clock_gettime", "--lat_percentiles=1"]
    words += ["--percentile_list=50:99", "--output-format=json"]
    words += {"interrupt": [], "sqpoll": ["--sqthread_poll"], "iopoll": ["--hipri"]}[cell.poll]
    ended = subprocess.run(words, check=True, capture_output=True, text=True, timeout=TOOL_S_MAX)
    seen = json.loads(ended.stdout[ended.stdout.index("{") :])["jobs"][0]["read"]
    latency = seen["lat_ns"]
    return {
        "count": latency["N"],
        "min_ns": latency["min"],
        "p50_ns": latency["percentile"]["50.000000"],
        "p99_ns": latency["percentile"]["99.000000"],
        "sum_ns": round(latency["mean"] * latency["N"]),
        "censored": 0,
        "censored_ns_max": 0,
    }


TOOLS: Final[dict[str, Callable[[Cell], dict[str, Any]]]] = {"iosonde": by_iosonde, "fio": by_fio}


def measure(cell: Cell, tool: str) -> dict[str, Any]:
    """One cell by one tool, with what the kernel counted meanwhile."""
    seen: dict[str, Any] = {}
    with ExitStack() as around:
        if cell.traced:
            around.enter_context(traced(cell, seen))
        before = counted(cell.device)
        seen |= TOOLS[tool](cell)
        after = counted(cell.device)
    return seen | {"kernel_count": after[0] - before[0], "kernel_ms": after[1] - before[1]}


def measure_traced(cell: Cell, tool: str) -> dict[str, Any]:
    """The same with what bpftrace says, in as many tries as it takes."""
    for _ in range(TRACES_MAX):
        seen = measure(cell, tool)
        if "trace" in seen:
            return seen
    raise TimeoutError(f"bpftrace did not end in {TRACES_MAX} tries")


def load_libraries() -> None:
    """Loads what ``iosonde probe`` loads, by running it once: that takes 15 s here, and every cell would pay for it."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import typer.main

    from iosonde.cli.main import app

    said = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    words = ["probe", "null:", "--duration", "100ms", "--warmup", "0s", "--json"]
    typer.main.get_command(app).main(words, standalone_mode=False)
    os.dup2(said, 1)


def main() -> None:
    """Measures everything."""
    for kind, folder in (("configfs", CONFIGFS), ("tracefs", TRACEFS)):
        subprocess.run(["mount", "-t", kind, "none", folder], check=True)
    for device in DEVICES:
        make(device)
    load_libraries()
    with SEEN.open("w") as file:
        since = time.monotonic()
        for turn in range(TURNS):
            if time.monotonic() - since > TURN_S_MAX:
                break
            for number, cell in enumerate(CELLS):
                if turn >= cell.turns:
                    continue
                for tool in sorted(TOOLS, reverse=turn % 2 == 0):
                    look = measure_traced if cell.traced else measure
                    seen = {"cell": number, "tool": tool, "turn": turn, **look(cell, tool)}
                    file.write(json.dumps(seen) + "\n")
                    file.flush()


if __name__ == "__main__":
    main()

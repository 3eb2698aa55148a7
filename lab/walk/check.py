"""The check: doctor, prepare, run and report of a free NVMe drive, with the words of the guides."""

from pathlib import Path
from typing import Any, Final

from lab.guest import MIB, ONE_CPU, PRELOAD, PRELOADED, Guest, drive
from lab.interpreter import IOSONDE
from lab.kernel import Kernel

SERIAL: Final = "LAB-WALK"
SIZE_BYTES: Final = 96 * MIB
CAMPAIGN: Final = """
name = "from-empty"
repeats = 2
purge = "format"
precondition = "none"
[[experiment]]
name = "writes"
pattern = "random"
read = 0
block_size = "4KiB"
queue_depth = [1, 16]
warmup = "200ms"
duration = "1s"
"""
# Each step is a command of a guide. Its screen and its exit code are left in the shared folder.
STEPS: Final[tuple[tuple[str, str], ...]] = (
    ("doctor", "doctor /dev/nvme0n1"),
    ("unnamed", "prepare /dev/nvme0n1 --purge format"),
    ("methods", "prepare /dev/nvme0n1"),
    (
        "prepare",
        f"prepare /dev/nvme0n1 --purge format --precondition fast-random --destroy {SERIAL} --seed 1 --out prepared",
    ),
    ("again", "prepare /dev/nvme0n1"),
    ("prepared", "show prepared"),
    ("plan", "plan /dev/nvme0n1 --profile CAMPAIGN"),
    ("run", f"run /dev/nvme0n1 --profile CAMPAIGN --destroy {SERIAL} --seed 1 --out run"),
    ("show", "show run"),
    ("report", "report run --json /lab/run.json"),
)


def walk(kernel: Kernel, folder: Path) -> list[str]:
    """Every step ends as the guides say, and the record has the purge, the preconditioning and the drive's health."""
    image = drive(folder / "drive.img", SIZE_BYTES)
    hardware: tuple[str, ...] = (*ONE_CPU, "-drive", f"file={image},if=none,id=d,format=raw")
    hardware += ("-device", f"nvme,serial={SERIAL},drive=d")
    guest = Guest(kernel, folder, hardware)
    campaign = folder / "from-empty.toml"
    campaign.write_text(CAMPAIGN)
    steps = "\n".join(_step(name, words.replace("CAMPAIGN", str(campaign))) for name, words in STEPS)
    kept = "cp prepared/run.json /lab/prepared.json\ncp run/report.html /lab/run.html"
    guest.run(f"{PRELOAD}\nexport COLUMNS=100\n{steps}\n{kept}")
    codes = {name: int(guest.text(f"{name}.code")) for name, _ in STEPS}
    wrong = {
        name: guest.text(f"{name}.said") for name, code in codes.items() if code != (3 if name == "unnamed" else 0)
    }
    assert not wrong, wrong
    assert f"--destroy {SERIAL}" in guest.text("doctor.out"), guest.text("doctor.out")
    assert "--destroy" in guest.text("unnamed.said"), guest.text("unnamed.said")
    prepared = guest.left("prepared.json")
    return [*_prepared(prepared, guest.text("prepared.out")), *_measured(guest.left("run.json"))]


def _step(name: str, words: str) -> str:
    # The first as users start it; the others without the time to load modules, which is 15 s in a guest.
    command = IOSONDE if name == STEPS[0][0] else PRELOADED
    return f"code=0; {command} {words} > /lab/{name}.out 2> /lab/{name}.said || code=$?; echo $code > /lab/{name}.code"


def _prepared(header: dict[str, Any], shown: str) -> list[str]:
    (purge,) = header["purges"]
    (step,) = header["plan"]["preparation"]
    assert (purge["outcome"], step["cell"]["cell"]) == ("purged", "fast-random"), header
    assert "Purged by format" in " ".join(shown.split()), shown
    amount = step["cell"]["timing"]["amount_bytes"]
    return [f"prepared: purged by format, {amount:,} bytes of modelled writes on {SIZE_BYTES:,}"]


def _measured(document: dict[str, Any]) -> list[str]:
    run = document["run"]
    (purge,) = run["header"]["purges"]
    assert (purge["outcome"], run["header"]["target"]["written"]) == ("purged", "purged"), run["header"]
    assert run["preparation"] == [], run["preparation"]
    assert all(cell["drives"][0]["health"]["source"] == "smart_log" for cell in run["cells"])
    return [f"run: purged again, measured fresh out of the box in {len(run['cells'])} trials"]

"""Drives that are removed during a trial: one of one, two of three, and all three."""

from typing import Any, Final

from lab.guest import IOSONDE, Guest

SETS: Final = {"one": ("one1",), "some": ("some1", "some2", "some3"), "all": ("all1", "all2", "all3")}
"""The drives of each run."""

REMOVED: Final = {"one": ("one1",), "some": ("some1", "some3"), "all": ("all1", "all2", "all3")}
"""Those that are removed while its second trial runs."""

WAIT_S_MAX: Final = 2.0
CAMPAIGN: Final = """
name = "removal"
repeats = 3
[[experiment]]
name = "removal"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 4
targets = {targets}
warmup = "200ms"
duration = "3s"
"""


def campaigns() -> dict[str, str]:
    """The campaign files by name."""
    return {name: CAMPAIGN.format(targets=len(drives)) for name, drives in SETS.items()}


def script(folder: str) -> str:
    """The part of the script that needs ``disk``: one run for each set."""
    return f"""
        removal() {{
            name=$1; drives=$2; removed=$3
            targets=; controllers=
            for each in $drives; do targets="$targets /dev/$(disk $each)"; done
            for each in $removed; do controllers="$controllers /sys/block/$(disk $each)/device/device/remove"; done
            for each in $removed; do echo /dev/$(disk $each); done > /lab/$name.expected
            {IOSONDE} run $targets --profile {folder}/$name.toml --out /tmp/$name \\
                > /dev/null 2> /lab/$name.said & run=$!
            until grep -q "^\\[1 of " /lab/$name.said; do sleep 0.2; done
            sleep 1.5
            date +%s.%N > /lab/$name.removed
            for each in $controllers; do echo 1 > $each & done
            until grep -q "^error: " /lab/$name.said || ! kill -0 $run 2> /dev/null; do sleep 0.02; done
            date +%s.%N > /lab/$name.ended
            code=0; wait $run || code=$?; echo $code > /lab/$name.code
            {IOSONDE} report /tmp/$name --json /lab/$name.json > /dev/null 2>&1
            code=0; {IOSONDE} resume /tmp/$name > /dev/null 2> /lab/$name.resumed || code=$?
            echo $code > /lab/$name.resume-code
        }}
        {"".join(f'removal {name} "{" ".join(SETS[name])}" "{" ".join(REMOVED[name])}"; ' for name in SETS)}
    """


def told(guest: Guest) -> list[str]:
    """What was seen. Raises AssertionError if the user does not read which drives are gone."""
    return [_told(guest, name) for name in SETS]


def _told(guest: Guest, name: str) -> str:
    said, code = guest.text(f"{name}.said"), int(guest.text(f"{name}.code"))
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    hints = [line for line in said.splitlines() if line.startswith("hint: ")]
    assert (code, len(errors), len(hints)) == (3, 1, 1), said
    drives = guest.text(f"{name}.expected").split()
    named = " and ".join([", ".join(drives[:-1]), drives[-1]] if len(drives) > 1 else drives)
    assert f"{named} {'are' if len(drives) > 1 else 'is'} gone: " in errors[0], said
    wait_s = float(guest.text(f"{name}.ended")) - float(guest.text(f"{name}.removed"))
    assert wait_s <= WAIT_S_MAX, wait_s
    _check_record(guest.left(f"{name}.json"), name)
    assert int(guest.text(f"{name}.resume-code")) == 3, guest.text(f"{name}.resumed")
    count = f"{len(drives)} of {len(SETS[name])} targets removed during a trial"
    return f"{count}: exit {code} after {wait_s:.1f} s of emulated time; {errors[0]}"


def _check_record(document: dict[str, Any], name: str) -> None:
    """The first trial is kept, the second has failed and is in no result, and there is no third."""
    cells = document["run"]["cells"]
    assert [cell["outcome"] for cell in cells] == ["finished", "failed"], (name, cells)
    assert cells[1]["failure"]["kind"] == "gone", cells[1]["failure"]
    assert cells[1]["measured_ns"] < cells[0]["measured_ns"], cells[1]["measured_ns"]
    (cell,) = document["cells"]
    assert list(cell["repeats"]["fates"].values()).count("used") == 1, cell["repeats"]
    assert cell["operations"]["read"]["iops"]["repeats"] == 1, cell["operations"]

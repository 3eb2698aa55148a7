"""A fio command line as the words of `iosonde probe`."""

from iosonde.plans.other_tools.fio_jobs import chosen_job, read_command
from iosonde.plans.other_tools.fio_translation import Translation, translate


def no_file(name: str) -> str:
    raise AssertionError(f"{name} was opened")


def translation(words: str) -> Translation:
    """What the words behind ``fio --name=x`` come to."""
    command = read_command(f"fio --name=x {words}", no_file, {})
    return translate(chosen_job(command.jobs, None), command.program)


def flags(words: str) -> str:
    return " ".join(flag.text for flag in translation(words).flags)

"""The plan of a preparation: preconditioning steps, and nothing that is measured."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from iosonde.errors import UsageError
from iosonde.plans.campaign_file import PRECONDITION_FORMS
from iosonde.plans.file_values import Block, Capacities, OverProvisioning, Span
from iosonde.plans.preconditioning import Preconditioning, TargetInfo, preparation_steps
from iosonde.plans.validation_errors import lower_first
from iosonde.records import Plan
from iosonde.vocabulary import Precondition, PurgeMethod

PROFILE: Final = "prepare"
# The fields of Preconditioning, and the kinds of values that a campaign file has for them.
_KINDS: Final[Mapping[str, tuple[str, TypeAdapter[Any]]]] = {
    "precondition_capacities": ("capacities", TypeAdapter(Capacities)),
    "precondition_block_size": ("block_size_bytes", TypeAdapter(Block)),
    "over_provisioning": ("over_provisioning_permille", TypeAdapter(OverProvisioning)),
    "slc_cache": ("slc_cache_bytes", TypeAdapter(Span)),
}


def preconditioning_of(form: Precondition, given: Mapping[str, object]) -> Preconditioning:
    """The requested preconditioning. ``given`` has the keys of a campaign file, None without a value.

    Raises UsageError.
    """
    if form is Precondition.NONE:
        raise UsageError(
            "--precondition none writes nothing", "omit it, or use once, independent, random or fast-random"
        )
    values: dict[str, Any] = {}
    for key, value in given.items():
        flag, (field, kind) = f"--{key.replace('_', '-')}", _KINDS[key]
        if value is None:
            continue
        if form not in PRECONDITION_FORMS[key]:
            forms = " or ".join(PRECONDITION_FORMS[key])
            raise UsageError(f"{flag} needs --precondition {forms}", f"omit {flag}, or use another form")
        try:
            values[field] = kind.validate_python(value)
        except ValidationError as error:
            details = error.errors()[0]
            hint = details.get("ctx", {}).get("hint", "docs/campaigns.md lists the range of each key")
            raise UsageError(f"{flag} {value}: {lower_first(details['msg'])}", str(hint)) from error
    return Preconditioning(form=form, **values)


def preparation_plan(asked: Preconditioning, target: TargetInfo, seed: int, purge: PurgeMethod | None) -> Plan:
    """The plan of a preparation. Raises UsageError."""
    return Plan(
        profile=PROFILE,
        quick=False,
        seed=seed,
        repeats=0,
        span_bytes=target.span_bytes,
        purge=purge,
        preparation=preparation_steps(target, asked),
        cells=(),
        turns=(),
    )

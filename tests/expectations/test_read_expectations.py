"""Files of expected values: their content, and errors with file, line, key and the nearest valid name."""

import json
import tomllib

import pytest
from jsonschema import Draft202012Validator

from iosonde.errors import UsageError
from iosonde.expectations import expectations_schema, read_expectations
from iosonde.vocabulary import Quantity
from tests.house.checkout import ROOT

HEAD = 'name = "sheet"\n[[expect]]\ncell = "random-read-4KiB-qd1"\n'
P99 = 'metric = "latency_ns_p99"\n'


@pytest.mark.parametrize(
    ("metric", "text", "bound"),
    [
        ("latency_ns_p99", '"0.1 ms"', 100_000),
        ("latency_ns_p99", "100000", 100_000),
        ("latency_ns_mean", '"80us"', 80_000),
        ("iops", '"90k"', 90_000),
        ("bytes_per_s", '"500 MB/s"', 500_000_000),
        ("bytes_per_s", '"1GiB"', 2**30),
    ],
)
def test_a_bound_is_a_number_in_the_unit_of_the_metric_or_text_with_a_unit(
    metric: str, text: str, bound: float
) -> None:
    (found,) = read_expectations(f'{HEAD}metric = "{metric}"\nat_most = {text}\n', "s.toml").expect
    assert found.bound == bound


def test_metrics_know_their_percentile() -> None:
    assert [
        each.percent for each in (Quantity.LATENCY_NS_MEAN, Quantity.LATENCY_NS_P99, Quantity.LATENCY_NS_P99_9)
    ] == [
        None,
        99.0,
        99.9,
    ]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('name = "x"\n', "s.toml:1: the file has no expect", "add an [[expect]] table in double brackets"),
        (
            f'{HEAD}metric = "latency_ns_p98"\nat_most = 1\n',
            's.toml:4: metric = "latency_ns_p98" is not',
            "latency_ns_p9",
        ),
        (f"{HEAD}{P99}at_mots = 1\n", "s.toml:5: unknown key at_mots in expectation 1", "did you mean at_most?"),
        (f"{HEAD}at_most = 1\n", "s.toml:2: expectation 1 has no metric", 'metric = "latency_ns_p99"'),
        (f"{HEAD}{P99}", "s.toml:4: expectation 1: needs at_most or at_least", "at_most"),
        (f"{HEAD}{P99}at_most = 1\nat_least = 1\n", "s.toml:4: expectation 1: sets both", "set one of them"),
        (
            f'{HEAD}{P99}at_most = "1 xs"\n',
            "s.toml:5: expectation 1: at_most = \"1 xs\" uses the unknown unit 'xs'",
            "use ns",
        ),
        (f"{HEAD}{P99}at_most = true\n", "s.toml:5: at_most = true is not a finite number or text", 'such as "0.1 ms"'),
        (
            f"{HEAD}{P99}at_most = -1\n",
            "s.toml:5: expectation 1: at_most must be greater than 0",
            "in the unit of the metric",
        ),
        (
            f"{HEAD}read = 100\n{P99}at_most = 1\n",
            "s.toml:4: expectation 1: cell and read cannot be combined",
            "omit one",
        ),
        (
            f'name = "x"\n[[expect]]\n{P99}at_most = 1\n',
            "s.toml:3: expectation 1: selects no cells",
            "add cell =",
        ),
        ('name = "x"\n[expect]\nread = 1\n', "s.toml:2: [expect] is a single table", "write [[expect]]"),
        ('name = "x\n', "s.toml:1: not TOML:", "examples/expectations/"),
        (
            f'{HEAD}{P99}at_most = 1\n[[expect]]\nread = 100\nblock_size = "4K"\n{P99}at_most = 1\n',
            's.toml:8: block_size = "4K" is ambiguous (powers of 2 or of 10)',
            "use 4KiB",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_way_out(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_expectations(text, "s.toml")
    assert caught.value.message.startswith(message)
    assert hint in caught.value.hint


def test_the_published_schema_is_that_of_the_code() -> None:
    published = json.loads((ROOT / "docs/expectations.schema.json").read_text(encoding="utf-8"))
    assert published == expectations_schema(), "make schema writes it anew"


def test_the_examples_are_read_and_fit_the_schema() -> None:
    schema = Draft202012Validator(expectations_schema())
    files = sorted((ROOT / "examples/expectations").glob("*.toml"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert read_expectations(text, file.name).expect
        assert list(schema.iter_errors(tomllib.loads(text))) == []


@pytest.mark.parametrize("bound", ["inf", "-inf", "nan"])
def test_a_bound_that_is_not_finite_is_refused(bound: str) -> None:
    text = f'name = "x"\n[[expect]]\ncell = "a"\nmetric = "iops"\nat_most = {bound}\n'
    with pytest.raises(UsageError, match=r"m\.toml:5: at_most = "):
        read_expectations(text, "m.toml")

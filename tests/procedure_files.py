"""Texts of files of procedures, from the keys of their tables."""

import json


def procedures_text(name: str, **procedures: tuple[str, ...]) -> str:
    """A file with these procedures, each of some phases."""
    tables = (f"{table_text('procedure', name=each)}{''.join(phases)}" for each, phases in procedures.items())
    return f'name = "{name}"\n{"".join(tables)}'


def phase_text(name: str, cells: dict[str, object], *, steady: dict[str, object] | None = None, **keys: object) -> str:
    """A phase with one table of cells, random ones of 4 KiB unless they say otherwise."""
    criterion = "" if steady is None else f"[procedure.phase.steady]\n{_keys(steady)}"
    phase = table_text("procedure.phase", name=name, **keys)
    given = {"pattern": "random", "block_size": "4KiB", **cells}
    return f"{phase}{criterion}{table_text('procedure.phase.cells', **given)}"


def table_text(header: str, **keys: object) -> str:
    """A table of a list, with its keys."""
    return f"[[{header}]]\n{_keys(keys)}"


def _keys(keys: dict[str, object]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in keys.items())


def _value(value: object) -> str:
    """A value as TOML writes it: as JSON does, but for tables."""
    match value:
        case dict():
            return f"{{ {', '.join(f'{key} = {_value(each)}' for key, each in value.items())} }}"
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case _:
            return json.dumps(value)

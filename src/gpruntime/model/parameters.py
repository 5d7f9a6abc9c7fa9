"""Parameters after a name: `unity:leaves=50`, `plus_c:c=2`, `power:beta=1.5,most=40`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gpruntime.model.errors import BadInput

Value = bool | int | float | str
MAX_OWN = 2**60
"""The largest whole number that a parameter of a user's own part can be: so far from 64 bits, sums do not wrap."""
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_TRUTH = {"true": True, "false": False}
_WANTED = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


def split(field: str, text: str) -> tuple[str, dict[str, str]]:
    """The name and the parameters of a text."""
    name, colon, rest = text.partition(":")
    found: dict[str, str] = {}
    for part in rest.split(",") if colon else []:
        key, sign, value = part.partition("=")
        if not sign or not value or not _NAME.fullmatch(key) or key in found:
            raise BadInput(field, text, "parameters follow a colon, as in name:c=2,d=3")
        found[key] = value
    return name, found


def settle(field: str, text: str, given: Mapping[str, Any], defaults: Mapping[str, Value]) -> dict[str, Value]:
    """All parameters with their values: those given, read as what their defaults are, and the defaults of the rest."""
    for key in given:
        if key not in defaults:
            taken = ", ".join(f"{name}={value}" for name, value in defaults.items()) or "no parameters"
            raise BadInput(field, text, f"{key} is not known; it takes {taken}")
    return {
        key: _read(field, key, given[key], default) if key in given else default for key, default in defaults.items()
    }


def join(name: str, values: Mapping[str, Value], defaults: Mapping[str, Value]) -> str:
    """The text, with defaults left out: one text for one law."""
    said = [f"{key}={_write(value)}" for key, value in values.items() if value != defaults.get(key)]
    return name + (":" + ",".join(said) if said else "")


def check_own(field: str, values: Mapping[str, Value]) -> None:
    """Raises `BadInput` for a whole number that compiled code might not hold."""
    for key, value in values.items():
        if isinstance(value, int) and abs(value) > MAX_OWN:
            raise BadInput(field, f"{key}={value}", "must be a whole number of at most 60 bits")


def _read(field: str, key: str, value: Any, default: Value) -> Value:
    """A value as the kind its default is: true or false, whole, a number, or a word."""
    kind = type(default)
    try:
        if kind is bool:
            return _TRUTH[str(value).lower()]
        if isinstance(value, bool) or (kind is int and isinstance(value, float)):
            raise ValueError
        found: Value = kind(value)
        if kind is float and not abs(found) < float("inf"):  # type: ignore[arg-type]
            raise ValueError
        return found
    except (KeyError, TypeError, ValueError, OverflowError):
        raise BadInput(field, f"{key}={value}", f"must be {_WANTED[kind]}, as in {key}={default}") from None


def _write(value: Value) -> str:
    return repr(value) if isinstance(value, float) else str(value)

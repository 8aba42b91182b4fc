"""JSON without floats: amounts are text with the exact digits of the wire."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from .generated.decimals import DECIMALS, FREE_MAPS

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,30})(\.\d{1,30})?\Z")


class _Digits(str):
    """A number as the wire wrote it."""


def read_json(text: str) -> Any:
    """Returns the value. A member of the contract that is an amount or a rate becomes text."""
    try:
        value = json.loads(text, parse_float=_Digits, parse_int=_Digits, parse_constant=_refuse)
        return _read(value, is_decimal=False, is_free=False)
    except RecursionError:
        raise ValueError("The JSON is nested too deeply.") from None


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not JSON.")


def _read(value: Any, *, is_decimal: bool, is_free: bool) -> Any:
    if isinstance(value, dict):
        return {
            key: _read(
                item,
                is_decimal=key in DECIMALS and not is_free,
                is_free=is_free or key in FREE_MAPS,
            )
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_read(item, is_decimal=is_decimal, is_free=is_free) for item in value]
    if isinstance(value, _Digits):
        return str(value) if is_decimal or not _is_integer(value) else int(value)
    return value


def _is_integer(digits: str) -> bool:
    return digits.lstrip("-").isdigit()


def write_json(value: Any, name: str = "", *, is_free: bool = False) -> str:
    """Returns JSON. An amount may be text, an int or a Decimal; its digits are sent as they are."""
    if isinstance(value, dict):
        members = (
            f"{json.dumps(str(key))}:"
            f"{write_json(item, str(key), is_free=is_free or name in FREE_MAPS)}"
            for key, item in value.items()
            if item is not None
        )
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(write_json(item, name, is_free=is_free) for item in value) + "]"
    if isinstance(value, float):
        raise TypeError(f"{name} is a float, which is not exact. Pass text such as '99.95'.")
    if isinstance(value, Decimal):
        return _digits(name, format(value, "f"))
    is_decimal = name in DECIMALS and not is_free
    if isinstance(value, str) and is_decimal:
        return _digits(name, value)
    return json.dumps(value)


def _digits(name: str, text: str) -> str:
    if _NUMBER.match(text) is None:
        raise TypeError(f"{name} must be a decimal number such as '99.95'.")
    return text

"""Turns the contract's messages into the values of `answers`, driven by the dataclasses themselves.

A value's field has the name of the message's field, so that neither can gain one the other lacks unseen
(a test compares them).
"""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from google.protobuf.message import Message

Value = TypeVar("Value")


def read(kind: type[Value], message: Message) -> Value:
    """Return `message` as a `kind`.

    An absent message or moment and an unspecified or unknown enum value become None.
    """
    return kind(**{name: _field(message, name, hint) for name, hint in _hints(kind).items()})


@cache
def _hints(kind: type) -> dict[str, Any]:
    resolved = get_type_hints(kind)
    return {field.name: resolved[field.name] for field in fields(kind)}


def _field(message: Message, name: str, hint: Any) -> Any:
    value = getattr(message, name)
    if get_origin(hint) is tuple:
        return tuple(_value(message, name, get_args(hint)[0], each) for each in value)
    if get_origin(hint) is dict:
        return dict(value)
    if get_origin(hint) is types.UnionType:
        if message.DESCRIPTOR.fields_by_name[name].has_presence and not message.HasField(name):
            return None
        hint = get_args(hint)[0]
    return _value(message, name, hint, value)


def _value(message: Message, name: str, hint: Any, value: Any) -> Any:
    if is_dataclass(hint):
        return read(hint, value)
    if hint is datetime:
        return value.ToDatetime(UTC)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _member(hint, message.DESCRIPTOR.fields_by_name[name].enum_type, value)
    return value


def _member(kind: type[StrEnum], descriptor: Any, number: int) -> StrEnum | None:
    """Find ITEM_STATUS_DRAFT as ItemStatus.DRAFT; None for 0 and for what a newer contract added."""
    known = descriptor.values_by_number.get(number)
    prefix = descriptor.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return kind.__members__.get(known.name.removeprefix(prefix)) if known else None

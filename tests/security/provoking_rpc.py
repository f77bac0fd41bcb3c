"""Every method of both contracts, called wrongly in every way, with people's words in every field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

SECONDS = 10
LARGEST = 2**31 - 1
# Over the 4 MiB that a server takes.
TOO_MUCH = 5 * 1024 * 1024


def provoke(address: str, modules: tuple[ModuleType, ...], token: str, words: str) -> Iterator[tuple[str, bytes]]:
    """Call every method of `modules` wrongly; yield (what was done, everything that the error said)."""
    options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
    with grpc.insecure_channel(address, options=options) as channel:
        for module in modules:
            for service in module.DESCRIPTOR.services_by_name.values():
                for method in service.methods:
                    path = f"/{service.full_name}/{method.name}"
                    filled = _filled(GetMessageClass(method.input_type), words)
                    for name, call in _ways(path, channel, filled, token, words).items():
                        if (said := _error(call)) is not None:
                            yield f"{path}: {name}", said
        unknown = channel.unary_unary(f"/{words.replace(' ', '')}/Method")
        yield "unknown method", _error(lambda: unknown(words.encode(), timeout=SECONDS)) or b""


def _ways(
    path: str, channel: grpc.Channel, filled: bytes, token: str, words: str
) -> dict[str, Callable[[], Any]]:
    call = channel.unary_unary(path)
    right = (("authorization", f"Bearer {token}"),)
    wrong = (("authorization", f"Bearer {words}"), ("x-words", words))
    return {
        "malformed": lambda: call(b"\xff" + words.encode(), timeout=SECONDS, metadata=right),
        "words as a message": lambda: call(words.encode() * 3, timeout=SECONDS, metadata=right),
        "words in every field": lambda: call(filled, timeout=SECONDS, metadata=right),
        "NUL in every field": lambda: call(filled.replace(b" ", b"\0"), timeout=SECONDS, metadata=right),
        "wrong token": lambda: call(filled, timeout=SECONDS, metadata=wrong),
        "no token": lambda: call(filled, timeout=SECONDS),
        "no deadline": lambda: call(filled, metadata=right),
        "too late": lambda: call(filled, timeout=0.000001, metadata=right),
        "too much": lambda: call(words.encode() * (TOO_MUCH // len(words)), timeout=SECONDS, metadata=right),
        "large metadata": lambda: call(filled, timeout=SECONDS, metadata=(*right, ("x-words", words * 300))),
        "bytes as metadata": lambda: call(filled, timeout=SECONDS, metadata=(*right, ("x-words-bin", words.encode()))),
    }


def _error(call: Callable[[], Any]) -> bytes | None:
    """Return all that a failed call says, None when it worked."""
    try:
        call()
    except grpc.RpcError as error:
        parts = [str(error.code()), error.details() or "", str(error), repr(error.trailing_metadata()),
                 repr(error.initial_metadata()), error.debug_error_string()]
        return "\n".join(parts).encode()
    return None


def _filled(kind: type[Message], words: str) -> bytes:
    message = kind()
    _fill(message, words, 0)
    return message.SerializeToString()


def _fill(message: Message, words: str, depth: int) -> None:
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None:
            if depth < 3:
                inner = getattr(message, field.name)
                inner = inner.add() if field.is_repeated else inner
                inner.SetInParent()
                _fill(inner, words, depth + 1)
            continue
        value = {FieldDescriptor.CPPTYPE_STRING: words, FieldDescriptor.CPPTYPE_BOOL: True,
                 FieldDescriptor.CPPTYPE_ENUM: 1, FieldDescriptor.CPPTYPE_DOUBLE: 0.5}.get(field.cpp_type, LARGEST)
        if field.is_repeated:
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)

"""Structured logs that cannot carry content.

A line is an event name plus fields of a closed list (ids, codes, counts, durations). Free text is not
a field type: a record that did not come through `event` (a library's, say) is reduced to its
logger, level and exception class, because error texts of databases, HTTP and gRPC quote content.
"""

from __future__ import annotations

import faulthandler
import json
import logging
import re
import resource
import sys
import threading
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from types import TracebackType
from typing import Any
from uuid import UUID

# What a line may say. Identifiers are short, ASCII and without blanks (a Japanese sentence has none either);
# anything else is a number or a bool.
FIELDS = frozenset(
    """service version pid port result code sqlstate constraint exception site page field target locale
    item call run task person worker claim_seq attempt turn segment segments revision candidate judgment
    planned_calls source_characters target_characters cost_micros tokens_in tokens_out count total
    duration_ms engine_ms rpc_ms check_ms store_ms method status peer provider model engine
    credential boot file line column reason checked requeued to_review to_credential failed unchanged
    signal exit_code restart error_id score verdict path_template""".split()
)
_IDENTIFIER = re.compile(r"[\w.:/@+\-\[\]|#]{0,200}\Z", re.ASCII)

_log = logging.getLogger("draftgate")


def event(name: str, level: int = logging.INFO, /, **fields: Any) -> None:
    """Write one line: event `name` with `fields`.

    Raises:
        ValueError: a field is not in `FIELDS`. A value that is not an identifier, number, bool, enum,
        id or moment is replaced by its length, so that content can't slip in through a wrong field.
    """
    unknown = fields.keys() - FIELDS
    if unknown:
        raise ValueError(f"not a log field: {', '.join(sorted(unknown))}; add it to FIELDS if it is no content")
    _log.log(level, name, extra={"draftgate_fields": {key: _safe(value) for key, value in fields.items()}})


def _safe(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Enum):
        return _safe(value.value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        return value.isoformat()
    text = str(value) if isinstance(value, str | UUID) else type(value).__name__
    return text if _IDENTIFIER.match(text) else f"[{len(text)} characters withheld]"


class _LineFormatter(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "service": self._service,
        }
        fields = getattr(record, "draftgate_fields", None)
        if record.name == "draftgate" and fields is not None:
            line["event"] = record.msg
            line.update(fields)
        else:
            line["event"] = "library.log"
            line["logger"] = record.name
            line["line"] = record.lineno
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
            line["where"] = where(record.exc_info[2])
        return json.dumps(line, ensure_ascii=False)


def where(traceback: TracebackType | None) -> str:
    """Return ``file:line < file:line …``, innermost first: code positions, never values."""
    places: list[str] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        places.append(f"{code.co_filename.rsplit('/', 1)[-1]}:{traceback.tb_lineno}")
        traceback = traceback.tb_next
    return " < ".join(reversed(places[-6:]))


def failure(name: str, error: BaseException, /, **fields: Any) -> None:
    """Log that `error` happened under event `name`: its class and code positions, never its text.

    Fields that `event` would refuse are left out: the failure at hand is worth more than a second one.
    """
    known = {key: _safe(value) for key, value in fields.items() if key in FIELDS}
    _log.error(name, exc_info=(type(error), error, error.__traceback__), extra={"draftgate_fields": known})


def configure(service: str, level: int = logging.INFO) -> None:
    """Send everything this process logs, crashes included, to standard error as content-free lines.

    It and its children leave no core file behind: that would be a copy of every text in memory.
    """
    output = logging.StreamHandler(sys.stderr)
    output.setFormatter(_LineFormatter(service))
    root = logging.getLogger()
    root.handlers[:] = [output]
    root.setLevel(logging.WARNING)
    _log.setLevel(level)
    logging.captureWarnings(True)
    logging.raiseExceptions = False
    sys.excepthook = lambda _kind, error, _tb: failure("process.crashed", error)
    threading.excepthook = lambda args: failure(
        "thread.crashed", args.exc_value or RuntimeError()
    )
    sys.unraisablehook = lambda args: failure("process.unraisable", args.exc_value or RuntimeError())
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

"""Runs the site under gunicorn: binds the port itself, so that a taken one is reported by name."""

from __future__ import annotations

import logging
import os
import socket
import sys
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, NoReturn

from gunicorn.glogging import Logger
from gunicorn.http.errors import (
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)
from gunicorn.util import write_error
from gunicorn.workers.gthread import ThreadWorker

from review_web.config import ReviewSettings
from translator_service.foundation import logs
from translator_service.foundation.grpc_plumbing import PortInUse, split_bind

CONFIGURATION = Path(__file__).with_name("gunicorn.conf.py")
# The port handed to gunicorn as an open file; the variable says which one.
LISTENING_FD = "DRAFTGATE_REVIEW_LISTENING_FD"


# Anything else that can't be read is a bad request.
_UNREADABLE = {
    LimitRequestLine: HTTPStatus.REQUEST_URI_TOO_LONG,
    LimitRequestHeaders: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    UnsupportedTransferCoding: HTTPStatus.NOT_IMPLEMENTED,
}


class ContentFreeLogger(Logger):
    """gunicorn's own messages, reduced to content-free lines like everything else that is logged."""

    def setup(self, cfg: Any) -> None:
        """Send what gunicorn says where all logs go; its own format would quote addresses."""
        super().setup(cfg)
        for logger in (self.error_log, self.access_log):
            logger.handlers[:] = []
            logger.propagate = logger is self.error_log
        self.error_log.setLevel(logging.WARNING)
        logs.configure("review")

    def access(self, *_request: object) -> None:
        """Say nothing: addresses carry one-time tokens, and the metrics count answers."""


class QuietWorker(ThreadWorker):
    """gunicorn's threads, but what is no proper HTTP is refused without quoting from it."""

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:
        """Answer a request that could not be read, or whose answer could not be written."""
        is_ours = isinstance(exc, InvalidResponseHeader | InvalidResponseHeaderName)
        if is_ours or not isinstance(exc, ParseException):
            return super().handle_error(req, client, addr, exc)
        self.log.warning("unreadable request")
        status = next((status for kind, status in _UNREADABLE.items() if isinstance(exc, kind)), HTTPStatus.BAD_REQUEST)
        with suppress(OSError):
            write_error(client, status.value, status.phrase, "")


def listen(settings: ReviewSettings) -> socket.socket:
    """Return a socket that listens at `settings.bind` and survives into another program.

    Raises:
        PortInUse: somebody else has the port.
    """
    host, port = split_bind(settings.bind)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise PortInUse(settings.bind, f"{settings.prefix}BIND") from None
    listening.set_inheritable(True)
    return listening


def serve(settings: ReviewSettings) -> NoReturn:
    """Become a gunicorn that serves the site with `settings`, until a signal ends it.

    Raises:
        PortInUse: the port is taken.
        SettingsError: the secret key is missing.
    """
    settings.signing_key()
    listening = listen(settings)
    os.environ.update(_environment(settings), **{LISTENING_FD: str(listening.fileno())})
    os.execv(  # noqa: S606 - our own interpreter and arguments
        sys.executable,
        [sys.executable, "-m", "gunicorn", "--config", str(CONFIGURATION), "review_web.wsgi:application"],
    )


def _environment(settings: ReviewSettings) -> dict[str, str]:
    """Return `settings` as the variables from which each worker loads them again.

    A secret that came from a file is still read from there.
    """
    values = {
        f"{settings.prefix}{name.upper()}": str(getattr(settings, name))
        for name in type(settings).model_fields
        if name != "secret_key"
    }
    if f"{settings.prefix}SECRET_KEY_FILE" not in os.environ:
        values[f"{settings.prefix}SECRET_KEY"] = settings.signing_key()
    return values

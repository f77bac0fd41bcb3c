"""Loops are written once: call a step now and then until told to stop."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from datetime import timedelta

from translator_service.foundation import logs


def repeat(step: Callable[[], object], every: timedelta, stop: threading.Event, *, name: str) -> None:
    """Call `step` about every `every` (0.8 to 1.2 of it, so that processes don't march in step) until `stop`.

    A step that fails is logged by class and called again at the next turn.
    """
    while not stop.wait(every.total_seconds() * random.uniform(0.8, 1.2)):
        try:
            step()
        except Exception as error:
            logs.failure(f"{name}.failed", error)

"""Moments and spans of time in words."""

from __future__ import annotations

from datetime import datetime, timedelta

_STEPS = (
    (timedelta(days=365), "y"),
    (timedelta(days=30), "mo"),
    (timedelta(days=1), "d"),
    (timedelta(hours=1), "h"),
    (timedelta(minutes=1), "min"),
)


def age(moment: datetime | None, now: datetime) -> str:
    """Return how long ago `moment` was, in its largest unit: ``3 min``, ``2 d``; empty for no moment."""
    if moment is None:
        return ""
    passed = now - moment
    for step, unit in _STEPS:
        if passed >= step:
            return f"{passed // step} {unit}"
    return "now"


def exact(moment: datetime | None) -> str:
    """Return `moment` to the second in UTC, for people; empty for no moment."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC" if moment else ""

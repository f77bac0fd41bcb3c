"""Reads the options of a credential profile: typed, within bounds, and named when they are wrong."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any


class BadOption(ValueError):
    """An option of a profile is unknown or wrong; `problem` says so without its value."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name} {problem}")
        self.name = name
        self.problem = problem


class Options:
    """The options of one profile. Each method raises `BadOption` for a value that it can't take."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    def only(self, *known: str) -> None:
        """Raises: BadOption: there is one that the provider doesn't know, a misspelt one for example."""
        for name in self._options:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                raise BadOption(name, f"is unknown. Did you mean {near[0]}?" if near else f"is unknown. Known: {', '.join(known)}")

    def number(self, name: str, default: float, least: float, most: float) -> float:
        value = self._options.get(name, default)
        # True is an int to Python; NaN is between no two numbers.
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise BadOption(name, f"must be a number from {least:g} to {most:g}")
        return value

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        value = self.number(name, default, least, most)
        if not isinstance(value, int):
            raise BadOption(name, f"must be a whole number from {least} to {most}")
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self._options.get(name, default)
        if not isinstance(value, bool):
            raise BadOption(name, "must be true or false")
        return value

    def one_of(self, name: str, *choices: str) -> str:
        """Return the choice; the first one is the default."""
        value = self._options.get(name, choices[0])
        if value not in choices:
            raise BadOption(name, f"must be one of {', '.join(choices)}")
        return value

"""Reads docker-compose.yml as Compose does: anchors merged, ``${NAME:-default}`` filled in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docker-compose.yml"
OURS = ("migrate", "scheduler", "worker", "translator", "review")


def compose(**variables: str) -> dict[str, Any]:
    """Return the file's content with `variables` in force."""
    text = re.sub(
        r"\$\{(\w+):-([^}]*)\}", lambda found: variables.get(found[1], found[2]), FILE.read_text(encoding="utf-8")
    )
    assert "${" not in text, "a variable without a default would be empty for a newcomer"
    return YAML(typ="safe", pure=True).load(text)


def seconds(span: str) -> float:
    """Return a span such as ``50s`` in seconds."""
    number, unit = re.fullmatch(r"(\d+)(s|m)", span).groups()  # type: ignore[union-attr]
    return int(number) * {"s": 1, "m": 60}[unit]

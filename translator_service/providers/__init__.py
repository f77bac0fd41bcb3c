"""What a provider is, and how one is found: one file plus one line in the entry-point group
``translator_service.providers``. A provider's class is called with a `CredentialProfile`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Protocol

from translator_service.domain.outcomes import Generation, Opinion, Probe
from translator_service.domain.requests import GenerationRequest, JudgmentRequest
from translator_service.errors import Code, Ending, ProviderFailed

GROUP = "translator_service.providers"


@dataclass(frozen=True, slots=True)
class CredentialProfile:
    """A named way to reach a provider. The key never leaves this process and is never printed.

    Prices are in millionths of the profile's currency per million tokens; None when not known. Those of the
    judge are for a `judge_model` that isn't `model`.
    `api_key_name` says where the key should come from, for remedies; empty when none was configured.
    `options` are the provider's own settings.
    """

    name: str
    provider: str
    model: str = ""
    judge_model: str = ""
    base_url: str = ""
    api_key: str | None = field(default=None, repr=False)
    api_key_name: str = ""
    input_price_micros: int | None = None
    output_price_micros: int | None = None
    judge_input_price_micros: int | None = None
    judge_output_price_micros: int | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


class Provider(Protocol):
    """Does the work behind one credential profile.

    Every method that can fail raises `ProviderFailed`, which carries a typed ending and what it cost all
    the same; anything else that escapes is a bug. One call makes at most one paid request, and never
    repeats one. Methods may run at the same time.
    """

    name: str
    # The same request always gives the same answer, so that asking again is pointless.
    is_deterministic: bool
    # No call can cost money: asking again after a lost answer is a matter of time only.
    is_free: bool
    # Longest segment, in characters of source, that one generation should be given.
    max_characters: int

    def __init__(self, profile: CredentialProfile) -> None: ...

    def check_pair(self, source_locale: str, target_locale: str) -> None:
        """Return when the pair can be done as far as is known without a call."""

    def worst_case_micros(self, text: str) -> int:
        """Return an upper bound of what one generation of the segment `text` costs."""

    def judge_worst_case_micros(self, text: str) -> int:
        """Return an upper bound of what one judgment of a translation of `text` costs."""

    async def generate(self, request: GenerationRequest) -> Generation:
        """Translate one segment; the answer's `text` has every token of the source restored."""

    async def judge(self, request: JudgmentRequest) -> Opinion:
        """List what is wrong with a candidate. Code verifies and scores it afterwards."""

    async def probe(self, source_locale: str = "", target_locale: str = "") -> Probe:
        """Ask whether the credential works now, and for a pair if one is named."""

    async def close(self) -> None:
        """Let go of connections and threads; repeatable."""


class UnknownProvider(LookupError):
    """No installed plugin has this name; `known` are the names that exist."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"no provider {name!r}; installed are {', '.join(self.known) or 'none'}")


class Registry:
    """The provider classes by name: those of installed plugins, or those given."""

    def __init__(self, classes: Mapping[str, type[Provider]] | None = None) -> None:
        self._classes = dict(classes) if classes is not None else None
        self._entries: dict[str, EntryPoint] = (
            {} if classes is not None else {entry.name: entry for entry in entry_points(group=GROUP)}
        )

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._classes if self._classes is not None else self._entries))

    def find(self, name: str) -> type[Provider]:
        """Return the class named `name`.

        Raises:
            UnknownProvider: no plugin has that name.
        """
        if self._classes is not None and name in self._classes:
            return self._classes[name]
        if name in self._entries:
            return self._entries[name].load()
        raise UnknownProvider(name, self.names())


def pair_not_supported(remedy: str) -> ProviderFailed:
    """Return the failure of a call that was never sent because the provider doesn't know the languages.

    The credential is fine, and other pairs work with it.
    """
    return ProviderFailed(Ending(Code.PAIR_NOT_SUPPORTED, was_sent=False, remedy=remedy))


def not_configured(remedy: str) -> ProviderFailed:
    """Return the failure of a call that was never sent because something must be set up first."""
    return ProviderFailed(Ending(Code.NOT_CONFIGURED, was_sent=False, remedy=remedy))

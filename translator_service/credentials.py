"""The credential profiles of this process, each opened into its provider at first use."""

from __future__ import annotations

from collections.abc import Mapping

from translator_service.providers import CredentialProfile, Provider, Registry, UnknownProvider, not_configured


class Credentials:
    """Finds the provider behind a profile's name. Belongs to one event loop."""

    def __init__(self, profiles: Mapping[str, CredentialProfile], registry: Registry) -> None:
        self._profiles = dict(profiles)
        self._registry = registry
        self._open: dict[str, Provider] = {}

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._profiles))

    def provider(self, name: str) -> Provider:
        """Return the provider of profile `name`.

        Raises:
            ProviderFailed: NotConfigured: there is no such profile, or no such provider is installed.
        """
        if name not in self._open:
            profile = self._profiles.get(name)
            if profile is None:
                raise not_configured(
                    f"There is no credential {name!r}. Add [translator.credentials.{name or 'NAME'}] to draftgate.toml of "
                    f"the translator, or use one of: {', '.join(self.names())}"
                )
            try:
                self._open[name] = self._registry.find(profile.provider)(profile)
            except UnknownProvider as unknown:
                raise not_configured(
                    f"Credential {name!r} names the provider {unknown.name!r}, which isn't installed. "
                    f"Installed are: {', '.join(unknown.known)}"
                ) from None
        return self._open[name]

    async def close(self) -> None:
        for provider in self._open.values():
            await provider.close()
        self._open.clear()

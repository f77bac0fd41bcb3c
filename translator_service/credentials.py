"""The credential profiles of this process, each opened into its provider at first use."""

from __future__ import annotations

from collections.abc import Mapping

from translator_service.foundation import logs
from translator_service.providers import CredentialProfile, Provider, Registry, UnknownProvider, not_configured
from translator_service.providers.options import BadOption


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
            ProviderFailed: NotConfigured: there is no such profile, or no such provider is installed, or it
                can't be made with these options.
        """
        if name not in self._open:
            profile = self._profiles.get(name)
            if profile is None:
                raise not_configured(
                    f"There is no credential {name!r}. Add [translator.credentials.{name or 'NAME'}] to draftgate.toml of "
                    f"the translator, or use one of: {', '.join(self.names())}"
                )
            self._open[name] = self._opened(profile)
        return self._open[name]

    def _opened(self, profile: CredentialProfile) -> Provider:
        where = f"[translator.credentials.{profile.name}]"
        try:
            return self._registry.find(profile.provider)(profile)
        except UnknownProvider as unknown:
            raise not_configured(
                f"Credential {profile.name!r} names the provider {unknown.name!r}, which isn't installed. "
                f"Installed are: {', '.join(unknown.known)}"
            ) from None
        except BadOption as bad:
            raise not_configured(
                f"options.{bad.name} of {where} {bad.problem}. Correct it in draftgate.toml and restart the translator"
            ) from None
        except Exception as error:
            # A plugin's constructor sends nothing, so this is no unknown outcome.
            logs.failure("credential.not_opened", error, credential=profile.name)
            raise not_configured(
                f"The provider {profile.provider!r} can't be made with {where}. Check it and its options; the "
                "translator's log names the place"
            ) from None

    async def close(self) -> None:
        for provider in self._open.values():
            await provider.close()
        self._open.clear()

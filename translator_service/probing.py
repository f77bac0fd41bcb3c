"""Asks whether a credential can be used now."""

from __future__ import annotations

from dataclasses import replace

from translator_service.credentials import Credentials
from translator_service.domain.outcomes import Probe
from translator_service.errors import Code, Ending, ProviderFailed
from translator_service.foundation import logs


async def probe(
    credential: str, source_locale: str, target_locale: str, credentials: Credentials, boot_id: str
) -> Probe:
    """Return whether `credential` works, for a pair if one is named. Never raises."""
    provider_name = ""
    try:
        provider = credentials.provider(credential)
        provider_name = provider.name
        return replace(await provider.probe(source_locale, target_locale), boot_id=boot_id)
    except ProviderFailed as failed:
        return Probe(provider=provider_name, usage=failed.usage, boot_id=boot_id, ending=failed.ending)
    except Exception as error:
        logs.failure("probe.failed", error, credential=credential)
        return Probe(provider=provider_name, boot_id=boot_id, ending=Ending(Code.UNEXPECTED, was_sent=True))

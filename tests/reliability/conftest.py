"""What the reliability tests may ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from buying import PaidSite
from inventory import Inventory
from paid_provider import JUDGE, WRITER, PaidProvider
from translator_process import TranslatorProcess

from scheduler_service.store.engine import Database


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An empty database with the newest schema, for this test alone; its random pauses are seeded."""
    database = Database(database_url, seed=1)
    yield database
    database.close()


@pytest.fixture
def inventory(database: Database) -> Inventory:
    """A site without items."""
    return Inventory(database)


@pytest.fixture(scope="session")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaidProvider]:
    """A provider that charges, once for all tests; `paid` gives each of them empty books."""
    with PaidProvider(tmp_path_factory.mktemp("provider")) as provider:
        yield provider


@pytest.fixture(scope="session")
def translator(provider: PaidProvider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TranslatorProcess]:
    """A translator whose credentials lead to that provider: ``paid``, and ``unpriced``, which has no prices."""
    profile = f"""
provider = "openai"
model = "{WRITER}"
judge_model = "{JUDGE}"
base_url = "{provider.base_url}"
"""
    toml = f"""
[translator.credentials.unpriced]
{profile}
[translator.credentials.paid]
{profile}
input_price_per_million = 1
output_price_per_million = 2
judge_input_price_per_million = 1
judge_output_price_per_million = 2
"""
    with TranslatorProcess(tmp_path_factory.mktemp("translator"), toml) as translator:
        yield translator


@pytest.fixture
def paid(database: Database, provider: PaidProvider, translator: TranslatorProcess) -> PaidSite:
    """A site whose translations and judgments are bought from `provider`."""
    return PaidSite(database, provider, translator)


@pytest.fixture
def unpriced(database: Database, provider: PaidProvider, translator: TranslatorProcess) -> PaidSite:
    """The same, with a credential whose prices nobody wrote down."""
    return PaidSite(database, provider, translator, credential="unpriced")

"""Turns with a real worker: an engine that can't vary ends with a person, and what can't be stored ends at all."""

from __future__ import annotations

import pytest
from running_scheduler import RunningScheduler
from running_translator import RunningTranslator, waiting_registry
from working_scheduler import Working, poll

from scheduler_service.domain.items import ItemStatus
from translator_service.domain.outcomes import Generation, Opinion
from translator_service.domain.values import Dimension, Finding, FindingSeverity
from translator_service.errors import Usage

SOURCE = {"title": "Good morning"}


def left_the_worker(site) -> bool:
    return site.one("select count(*) from item_work where work_state not in ('failed', 'waiting_unknown')") == 0


def test_asking_a_deterministic_engine_again_ends_with_a_person_every_time_and_says_why(checking_scheduler, translator):
    site = checking_scheduler.site()
    site.scan(SOURCE)
    item_id = site.item_id("title")
    ana = checking_scheduler.client(checking_scheduler.person("Ana", "reviewer"))
    with Working(checking_scheduler, translator.address):
        poll(lambda: left_the_worker(site))
        first = ana.get_item(item_id)
        assert first.candidate is not None
        for times in (1, 2):
            item = ana.get_item(item_id)
            ana.reject(item_id, version=item.summary.version, candidate_id=item.candidate.candidate_id,
                       note=f"Warmer {times}", ask_again=True)
            poll(lambda: left_the_worker(site))
            again = ana.get_item(item_id)
            assert again.summary.status is ItemStatus.NEEDS_REVIEW
            assert "engine_cannot_vary" in again.summary.reasons
            # The text is still there to be edited or approved, and the engine was not paid for it again.
            assert again.candidate.candidate_id == first.candidate.candidate_id
            assert site.one("select count(*) from calls where kind = 'generate'") == 1
        item = ana.get_item(item_id)
        version = ana.reject(item_id, version=item.summary.version, candidate_id=item.candidate.candidate_id, note="No",
                             ask_again=False).version
        ana.reject(item_id, version=version, candidate_id=item.candidate.candidate_id, note="Once more", ask_again=True)
        poll(lambda: left_the_worker(site))
        # Also after a rejection: whoever opens the item finds a text, not an empty page.
        assert ana.get_item(item_id).candidate.closed_reason == ""
    ana.close()


UNSTORABLE = {"NUL": "Bom\x00dia", "half a character": "Bom\ud83ddia"}


@pytest.mark.parametrize("what", UNSTORABLE)
def test_a_text_that_cant_be_stored_ends_the_attempt_and_leaves_no_call_open(database_url: str, what: str):
    registry, provider = waiting_registry()

    async def generate(self, request):
        provider.begun.append(request.call_id)
        return Generation(text=UNSTORABLE[what], usage=Usage(cost_micros=5, input_tokens=0))

    provider.generate = generate
    with RunningTranslator(registry) as translator, RunningScheduler(database_url, translator.address) as scheduler:
        site = scheduler.site()
        site.scan(SOURCE)
        with Working(scheduler, translator.address):
            poll(lambda: site.one("select count(*) from item_log where event in ('attempt_ended', 'attempts_ended', "
                                  "'drafted', 'needs_person')"))
        # The provider did the work, so it is paid for, once, and the code says whose fault it was.
        assert [tuple(row) for row in site.all("select state, settled_micros, outcome_code from calls")] == [
            ("unused", 5, "Translation.InvalidText")]
        assert site.one("select last_error_code from items") == "Translation.InvalidText"
        assert len(provider.begun) == 1


@pytest.mark.parametrize("reason", ["Wrong\x00tone", "Wrong\udc00tone"])
def test_a_finding_that_cant_be_stored_is_no_judgment_and_its_price_is_booked(database_url: str, reason: str):
    registry, provider = waiting_registry()

    async def judge(self, request):
        finding = Finding(Dimension.ACCURACY, FindingSeverity.MAJOR, "", request.candidate, reason, "")
        return Opinion(findings=(finding,), assessed=(Dimension.ACCURACY,), usage=Usage(cost_micros=3, input_tokens=0))

    provider.judge = judge
    provider.released.set()
    with RunningTranslator(registry) as translator, RunningScheduler(database_url, translator.address) as scheduler:
        site = scheduler.site()
        site.scan(SOURCE)
        with Working(scheduler, translator.address):
            poll(lambda: site.one("select count(*) from item_log where event in ('attempt_ended', 'attempts_ended', "
                                  "'drafted', 'needs_person')"))
        assert [tuple(row) for row in site.all("select state, settled_micros, outcome_code from calls where kind = 'judge'")
                ] == [("unused", 3, "Translation.InvalidResponse")]
        # The generated text was paid for and stays: the next attempt only judges.
        assert site.one("select count(*) from candidates") == 1

"""Measures the offline engine and its judge on real pages: time, passes, false alarms, caught damage.

    python benchmarks/offline_judge.py --shared ../shared [--pages 6] [--json]

Reads the corpora of the shared folder, writes nothing. Damage is done to the engine's own translations,
one sentence at a time: a judge that says nothing there has missed it.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import polib

from translator_service.credentials import Credentials
from translator_service.domain.outcomes import Judgment
from translator_service.domain.requests import GenerationRequest, JudgmentRequest, SourceText, Terminology
from translator_service.domain.values import Glossary, Span, Term, TextFormat
from translator_service.generating import generate
from translator_service.judging import judge
from translator_service.providers import CredentialProfile, Registry
from translator_service.providers.offline import OfflineProvider
from translator_service.providers.offline_engine import OfflineEngine
from translator_service.providers.offline_judge import OfflineJudge, Side, align

PAIR = ("en", "pt-BR")
# Every so-manieth judged sentence is damaged: enough for a share, short enough to wait for.
EVERY = 3

NEGATION = re.compile(r"(?i)\b(?:não|nunca|sem|nenhuma?|nem)\s+")
NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class Done:
    source: SourceText
    candidate: str
    judgment: Judgment
    generate_seconds: float
    judge_seconds: float


async def translated(source: SourceText, terminology: Terminology, credentials: Credentials) -> Done:
    started = time.monotonic()
    request = GenerationRequest(str(uuid4()), "offline", source, terminology)
    answer = await generate(request, credentials, "benchmark")
    between = time.monotonic()
    if answer.ending:
        raise SystemExit(f"generation ended with {answer.ending.code}: {answer.ending.remedy}")
    judging = JudgmentRequest(str(uuid4()), "offline", source, answer.text, terminology)
    judgment = await judge(judging, credentials, "benchmark")
    return Done(source, answer.text, judgment, between - started, time.monotonic() - between)


def summary(done: list[Done]) -> dict[str, object]:
    verdicts = Counter(one.judgment.verdict.value for one in done)
    judged = sum(one.judgment.judged_sentences for one in done)
    weak = sum(f.reason.startswith("Offline estimate") for one in done for f in one.judgment.findings)
    return {
        "texts": len(done),
        "verdicts": dict(verdicts),
        "pass_share": round(verdicts["pass"] / len(done), 3),
        "reasons": dict(Counter(reason for one in done for reason in one.judgment.reasons)),
        "judged_sentences": judged,
        "weak_share": round(weak / judged, 3) if judged else None,
        "flag_findings": sum(len(one.judgment.findings) for one in done) - weak,
        "generate_seconds_mean": round(sum(one.generate_seconds for one in done) / len(done), 3),
        "judge_seconds_mean": round(sum(one.judge_seconds for one in done) / len(done), 3),
    }


def human_alarms(pages: list[Path], english: Path, portuguese: Path) -> dict[str, object]:
    """The judge on what people wrote: where it finds sentences weak, it is mostly wrong."""
    checker = OfflineJudge(OfflineEngine())
    judged = weak = unaligned = 0
    for page in pages:
        texts = [(root / page.relative_to(english)).read_text(encoding="utf-8") for root in (english, portuguese)]
        theirs, ours = (Side.of(text, TextFormat.MARKDOWN, locale) for text, locale in zip(texts, PAIR, strict=True))
        pairs = align(theirs, ours)
        if pairs is None:
            unaligned += 1
            continue
        for there, here in pairs:
            signals = checker.signals(theirs, there, ours, here)
            judged += signals is not None
            weak += bool(signals and signals.reasons())
    return {"judged_sentences": judged, "weak_share": round(weak / judged, 3) if judged else None,
            "pages_not_aligned": unaligned}  # fmt: skip


def damaged(done: list[Done]) -> Iterator[tuple[str, Side, Span, Side, Span]]:
    """Yield kinds of damage with both sides and the spans to compare."""
    previous = ""
    for one in done:
        theirs = Side.of(one.source.text, one.source.text_format, PAIR[0])
        ours = Side.of(one.candidate, one.source.text_format, PAIR[1])
        for place, (there, here) in enumerate(align(theirs, ours) or ()):
            sentence = here.of(one.candidate)
            if place % EVERY == 0:
                for kind, text in _damage(sentence, previous):
                    broken = one.candidate[: here.start] + text + one.candidate[here.end :]
                    side = Side.of(broken, one.source.text_format, PAIR[1])
                    span = Span(here.start, here.start + len(text))
                    # What changed inside code or links only is the gates' business.
                    if text.strip() and side.plain(span) != ours.plain(here):
                        yield kind, theirs, there, side, span
            previous = sentence


def _damage(sentence: str, other: str) -> Iterator[tuple[str, str]]:
    words = sentence.split(" ")
    yield "negation dropped", NEGATION.sub("", sentence, count=1)
    yield "negation added", re.sub(r"\b(é|são|pode|podem|tem|está|vai|será)\b", r"não \1", sentence, count=1)
    if len(words) >= 6:
        yield "second half lost", " ".join(words[: len(words) // 2])
        yield "last quarter lost", " ".join(words[: -(len(words) // 4)])
    if sentence.count(",") >= 1:
        yield "clause lost", sentence.rsplit(",", 1)[0] + sentence[-1:]
    yield "another sentence", other
    yield "number changed", NUMBER.sub(lambda found: str(int(found[0]) + 3), sentence, count=1)


def caught(done: list[Done], chosen: Callable[[str], bool] = lambda _kind: True) -> dict[str, str]:
    checker = OfflineJudge(OfflineEngine())
    tried: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for kind, theirs, there, ours, here in damaged(done):
        if not chosen(kind):
            continue
        signals = checker.signals(theirs, there, ours, here)
        if signals is not None:
            tried[kind] += 1
            seen[kind] += bool(signals.reasons())
    return {kind: f"{seen[kind]} of {total} ({seen[kind] / total:.0%})" for kind, total in sorted(tried.items())}


def po_sources(path: Path) -> Iterator[SourceText]:
    for entry in polib.pofile(str(path)):
        is_format = "python-format" in entry.flags
        text_format = TextFormat.PYTHON_FORMAT if is_format else TextFormat.PLAIN
        for text in filter(None, (entry.msgid, entry.msgid_plural)):
            yield SourceText(text, text_format, *PAIR, note=entry.comment)


def glossary(path: Path) -> Terminology:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    terms = tuple(Term(row["source"], row["target"], row["source"] == row["target"]) for row in rows)
    return Terminology(Glossary("corpus", terms))


async def measure(shared: Path, most_pages: int | None) -> dict[str, object]:
    profile = CredentialProfile(name="offline", provider="offline", options={"threads": 1})
    credentials = Credentials({"offline": profile}, Registry({"offline": OfflineProvider}))
    english = shared / "corpora" / "fastapi-docs" / "en"
    pages = sorted(english.rglob("*.md"))[:most_pages]
    markdown = [
        SourceText(page.read_text(encoding="utf-8"), TextFormat.MARKDOWN, *PAIR) for page in pages
    ]
    terms = glossary(shared / "corpora" / "fastapi-docs" / "glossary.csv")
    by_page = [await translated(source, terms, credentials) for source in markdown]
    strings = [
        await translated(source, Terminology(), credentials)
        for source in po_sources(shared / "corpora" / "django-po" / "conf.en.po")
    ]
    await credentials.close()
    return {
        "pages": summary(by_page),
        "pages_by_name": {
            str(page.relative_to(english)): [one.judgment.verdict.value, one.judgment.score, one.judgment.reasons]
            for page, one in zip(pages, by_page, strict=True)
        },
        "po_strings": summary(strings),
        "human_pages": human_alarms(pages, english, shared / "corpora" / "fastapi-docs" / "pt"),
        "caught": caught(by_page),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, required=True, help="folder that holds corpora/")
    parser.add_argument("--pages", type=int, help="only so many pages")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    arguments = parser.parse_args()
    if not (arguments.shared / "corpora").is_dir():
        sys.exit(f"{arguments.shared} holds no corpora folder; name it with --shared")
    measured = asyncio.run(measure(arguments.shared, arguments.pages))
    if arguments.json:
        print(json.dumps(measured))
        return
    for part, figures in measured.items():
        print(f"\n{part}")
        for name, value in figures.items():
            print(f"  {name:<24} {value}")


if __name__ == "__main__":
    main()

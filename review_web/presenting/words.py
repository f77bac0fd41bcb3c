"""The words and icons for what the scheduler names by code; one place, so that a page never shows a bare code."""

from __future__ import annotations

from scheduler_service.answers import ItemStatus, Queue, WorkState
from scheduler_service.errors import Code

STATUS = {
    ItemStatus.MISSING: ("Not translated", "clock"),
    ItemStatus.STALE: ("Source changed", "clock"),
    ItemStatus.DRAFT: ("Draft", "draft"),
    ItemStatus.NEEDS_REVIEW: ("Needs a person", "person"),
    ItemStatus.NEEDS_CREDENTIAL: ("Paused", "pause"),
    ItemStatus.APPROVED: ("Approved", "check"),
    ItemStatus.PUBLISHED: ("Published", "globe"),
    ItemStatus.REJECTED: ("Rejected", "cross"),
}
STATUS_MEANING = {
    ItemStatus.MISSING: "no translation of this source yet",
    ItemStatus.STALE: "the source has changed since the last approved text",
    ItemStatus.DRAFT: "passed the checks and the judge; waits for a reviewer",
    ItemStatus.NEEDS_REVIEW: "finished without a pass; a reviewer must decide",
    ItemStatus.NEEDS_CREDENTIAL: "stopped by the provider; waits for an operator",
    ItemStatus.APPROVED: "a person accepted this text; waits for publication",
    ItemStatus.PUBLISHED: "released",
    ItemStatus.REJECTED: "a person refused it",
}
QUEUE = {
    Queue.TO_REVIEW: ("To review", "draft"),
    Queue.NEEDS_PERSON: ("Needs a person", "person"),
    Queue.APPROVED: ("Approved", "check"),
    Queue.PUBLISHED: ("Published", "globe"),
    Queue.REJECTED: ("Rejected", "cross"),
    Queue.IN_WORK: ("In work", "clock"),
}
QUEUE_EMPTY = {
    Queue.TO_REVIEW: "No draft waits for a review.",
    Queue.NEEDS_PERSON: "No failed draft waits for a person.",
    Queue.APPROVED: "Nothing waits for publication.",
    Queue.PUBLISHED: "Nothing is published yet.",
    Queue.REJECTED: "Nothing is rejected.",
    Queue.IN_WORK: "The machine has nothing left to do.",
}
WORK_STATE = {
    WorkState.RUNNING: ("Running", "a worker holds it"),
    WorkState.WAITING_UNKNOWN: ("Outcome unknown", "a paid call may or may not have happened"),
    WorkState.FAILED: ("Failed", "attempts used up, or an error that trying again can’t mend"),
    WorkState.PAUSED: ("Paused", "its credential or site is halted"),
    WorkState.WAITING_CEILING: ("Over the ceiling", "waits for money"),
    WorkState.WAITING_TO_RETRY: ("Waits to retry", "tried and due again later"),
    WorkState.READY: ("Ready", "waits for a worker"),
}
GATE = {
    "placeholder_set": "Placeholders",
    "printf_percent": "Percent signs",
    "icu_syntax": "Message syntax",
    "icu_structure": "Message structure",
    "icu_plurals": "Plural forms",
    "markup_skeleton": "Markup",
    "emphasis": "Emphasis",
    "tags": "Tags",
    "unsafe_markup": "Unsafe markup",
    "tag_spacing": "Blanks at tags",
    "edge_whitespace": "Blanks at the edges",
    "newline_style": "Line breaks",
    "link_targets": "Links",
    "code_verbatim": "Code",
    "anchors": "Anchors",
    "front_matter": "Front matter",
    "do_not_translate": "Names that must stay",
    "forbidden_term": "Forbidden words",
    "glossary": "Glossary",
    "completeness": "Completeness",
    "invented_text": "Invented text",
    "repetition": "Repetition",
    "model_chatter": "Chatter of the model",
    "refusal": "Refusal",
    "mask_leak": "Left-over masks",
    "control_characters": "Control characters",
    "invisible_characters": "Invisible characters",
    "html_entities": "HTML entities",
    "copied_source": "Left untranslated",
    "numbers": "Numbers",
    "max_length": "Length",
}
_DIMENSION = {"audience": "Audience fit", "locale": "Locale conventions"}
_EVENT = {
    "asked_again": "asked for a new draft",
    "attempts_ended": "attempts used up",
    "another_approved": "another text was approved",
    "found": "found",
    "needs_person": "finished without a pass",
}
_REASON = {
    "unscored": "Nothing could be scored",
    "score": "The overall score is below the bar",
    "engine_cannot_vary": "The engine would only repeat itself",
    "short_text_gates_only": "Too short for the offline judge",
}
# Reasons that explain others, and are no complaint of their own.
_MILD_REASONS = frozenset({"engine_cannot_vary", "short_text_gates_only"})
_CODE = {
    Code.WORKER_TIMEOUT.value: "the worker’s lease ran out",
    Code.QUOTA_EXCEEDED.value: "the provider’s quota or balance is used up",
    Code.AUTHENTICATION_FAILED.value: "the provider refuses the key",
    Code.NOT_CONFIGURED.value: "the provider is not configured",
    Code.PAIR_NOT_SUPPORTED.value: "the engine doesn’t know this language pair",
    Code.RATE_LIMITED.value: "the provider asks for a slower pace",
    Code.UNAVAILABLE.value: "the provider was not available",
    Code.OUTCOME_UNKNOWN.value: "whether the call happened is not known",
    Code.MASK_LOST.value: "a part that must survive was lost on every try",
    Code.TRANSLATOR_UNREACHABLE.value: "the translator could not be reached",
    Code.ITEM_CEILING.value: "the money set for one item is used up",
    Code.CEILING.value: "a spending ceiling is reached",
}


def gate(name: str) -> str:
    return GATE.get(name, plain(name))


def dimension(name: str) -> str:
    return _DIMENSION.get(name, plain(name))


def reason(name: str) -> str:
    """Return one reason of a verdict in words: ``gate:numbers`` as “Numbers check failed”."""
    kind, _, subject = name.partition(":")
    if kind == "gate" and subject:
        return f"{gate(subject)} check failed"
    if kind in {"dimension", "critical"} and subject:
        return f"{dimension(subject)} {'is below its bar' if kind == 'dimension' else 'has a critical error'}"
    return _REASON.get(name) or plain(code(name) or name)


def reason_tone(name: str) -> str:
    """Return how serious a reason is: blocking, warning, or nothing for a mere explanation."""
    if name.startswith("gate:"):
        return "blocking"
    return "" if name in _MILD_REASONS else "warning"


def code(name: str) -> str:
    return _CODE.get(name, "")


def status_name(name: str) -> str:
    """Return the word for a status given by name."""
    return STATUS[ItemStatus(name)][0] if name in list(ItemStatus) else plain(name)


def event(name: str) -> str:
    return _EVENT.get(name, name.replace("_", " ").replace(".", " "))


def plain(name: str) -> str:
    """Return an unknown name readably; plugins bring names of their own."""
    text = name.replace("_", " ").replace("-", " ").strip()
    return text[:1].upper() + text[1:]


def money(micros: int) -> str:
    """Return an amount given in millionths, with as many digits as a small one needs."""
    amount = micros / 1_000_000
    return f"{amount:,.2f}" if amount >= 1 or amount == 0 else f"{amount:.4f}"

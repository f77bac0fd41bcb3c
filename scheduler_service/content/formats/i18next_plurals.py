"""Plural groups of i18next strings files: keys such as ``item_one`` and ``item_other`` beside each other.

A translated file has the forms of its own locale, so the keys of a group can differ from the source's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scheduler_service.content.formats.detecting import has_placeholders_of
from scheduler_service.content.formats.json_scanner import Member
from scheduler_service.content.formats.plurals import CATEGORIES, cardinal_forms, ordinal_forms

_KEY = re.compile(rf"(?P<base>.+?)(?P<ordinal>_ordinal)?_(?P<category>{'|'.join(CATEGORIES)})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FormSlot:
    """A form that the target locale has: the key it goes under and the source text it is translated from.

    `member` is the entry of that key in the source file, None where the source locale lacks the form.
    """

    key: str
    source_text: str
    note: str
    member: Member | None


@dataclass(frozen=True, slots=True)
class PluralGroup:
    """The forms of one countable text. `other` is its ``_other`` entry, which every locale has;
    `superfluous` are entries of forms that the target locale doesn't have."""

    slots: tuple[FormSlot, ...]
    other: Member
    superfluous: tuple[Member, ...]


def plural_groups(members: Sequence[Member], target_locale: str) -> dict[str, PluralGroup]:
    """Return the plural group of each key in `members` that belongs to one.

    A group needs an ``_other`` key, and beside it another form or the count: ``sort_other`` alone is a name.
    """
    families: dict[tuple[str, bool], dict[str, Member]] = {}
    for member in members:
        found = _KEY.fullmatch(member.key)
        if found:
            family = families.setdefault((found["base"], bool(found["ordinal"])), {})
            family[found["category"]] = member
    groups: dict[str, PluralGroup] = {}
    for (base, is_ordinal), family in families.items():
        if any(member.value.kind != "string" for member in family.values()) or "other" not in family:
            continue
        if len(family) == 1 and "{{count" not in family["other"].value.text:
            continue
        stem = f"{base}_ordinal_" if is_ordinal else f"{base}_"
        group = _group(stem, family, target_locale, is_ordinal)
        groups.update((member.key, group) for member in family.values())
    return groups


def _group(stem: str, family: dict[str, Member], target_locale: str, is_ordinal: bool) -> PluralGroup:
    other = family["other"]
    forms = {form.name: form for form in (ordinal_forms if is_ordinal else cardinal_forms)(target_locale)}
    slots: list[FormSlot] = []
    for name in CATEGORIES:
        # i18next takes _zero for a count of 0 in every language, whatever CLDR says.
        is_special_zero = name == "zero" and name in family and not is_ordinal
        if name not in forms and not is_special_zero:
            continue
        member = family.get(name)
        text = member.value.text if member else other.value.text
        form = forms.get(name)
        # Where "one" serves 0 or 21 too, a source without the number ("One chair") would lose it.
        if name == "one" and form and not form.is_only_one and not has_placeholders_of(text, other.value.text):
            text = other.value.text
        note = form.note if form else "plural form zero, for the number 0"
        slots.append(FormSlot(stem + name, text, note, member))
    kept = {slot.key for slot in slots}
    superfluous = tuple(member for member in family.values() if member.key not in kept)
    return PluralGroup(tuple(slots), other, superfluous)

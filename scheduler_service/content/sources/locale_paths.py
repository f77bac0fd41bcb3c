"""How locales show in the paths of content files, and what a translated file is called.

A path names its locale by a folder (``en/index.md``, ``locale/en/LC_MESSAGES/site.po``), by the last part of the
file name before its ending (``strings.en.json``), or by the whole name (``en.json``). A path without one stays
as it is, so each target then needs an export folder of its own.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

from translator_service.foundation.locales import LocaleError, canonical

# gettext finds catalogues only where folders are spelled its way, with an underscore.
_GETTEXT_FOLDER = "LC_MESSAGES"
_CATALOGUES = (".po", ".pot")


def target_path(path: PurePosixPath, suffix: str, source_locale: str, target_locale: str) -> PurePosixPath:
    """Return where the translation of the file `path` goes. `suffix` is its format's ending, ``.po`` say.

    Every part that names the source locale names the target instead, spelled as BCP 47 (``pt-BR``), but
    gettext's way (``pt_BR``) in a catalogue's file name and for a folder above ``LC_MESSAGES``. A template
    (``.pot``) becomes a catalogue (``.po``).
    """
    underscored = target_locale.replace("-", "_")
    folders = list(path.parts[:-1])
    for index, folder in enumerate(folders):
        if _names(folder, source_locale):
            is_gettext = folders[index + 1 : index + 2] == [_GETTEXT_FOLDER]
            folders[index] = underscored if is_gettext else target_locale
    stem, ending = _split(path.name, suffix)
    first, dot, last = stem.rpartition(".")
    if _names(last, source_locale):
        stem = first + dot + (underscored if ending.casefold() in _CATALOGUES else target_locale)
    ending = ".po" if ending.casefold() == ".pot" else ending
    return PurePosixPath(*folders, stem + ending)


def is_other_locale(path: PurePosixPath, suffix: str, source_locale: str, paths: Collection[str]) -> bool:
    """Say whether `path` is a translation that lies beside its source.

    It is one if a part of it names another locale, and the same part naming the source locale exists too.
    `paths` are all paths of the tree, folders among them.
    """
    spellings = {source_locale, source_locale.replace("-", "_"), source_locale.casefold()}
    parts = path.parts
    for index, folder in enumerate(parts[:-1]):
        if _is_other(folder, source_locale) and any(
            str(PurePosixPath(*parts[:index], spelling)) in paths for spelling in spellings
        ):
            return True
    stem, ending = _split(path.name, suffix)
    first, dot, last = stem.rpartition(".")
    return _is_other(last, source_locale) and any(
        str(path.with_name(first + dot + spelling + ending)) in paths for spelling in spellings
    )


def _split(name: str, suffix: str) -> tuple[str, str]:
    return name[: len(name) - len(suffix)], name[len(name) - len(suffix) :]


def _names(part: str, locale: str) -> bool:
    return part.replace("_", "-").casefold() == locale.casefold()


def _is_other(part: str, source_locale: str) -> bool:
    """Say whether `part` is a locale that isn't the source's. Aliases don't count: CLDR takes ``src`` for Sardinian."""
    try:
        return _names(part, canonical(part)) and not _names(part, source_locale)
    except LocaleError:
        return False

"""Bytes of a file to text and back without losing any: byte order mark, line ends and all."""

from __future__ import annotations

import codecs

from scheduler_service.content.values import NotUtf8


def decode(path_label: str, data: bytes) -> str:
    """Return the text of `data` without its byte order mark; line ends stay as they are.

    Raises:
        NotUtf8: the bytes are not UTF-8, or hold a NUL character, which no database text can carry.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise NotUtf8(path_label, 1, "the file is UTF-16", "Save it as UTF-8")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotUtf8(
            path_label, line, f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8", "Save the file as UTF-8"
        ) from None
    if "\0" in text:
        raise NotUtf8(
            path_label, line_of(text, text.index("\0")), "a NUL character stands here", "Save the file as UTF-8 text"
        )
    return text.removeprefix("\ufeff")


def encode(text: str, original: bytes) -> bytes:
    """Return the bytes of `text`, with a byte order mark if `original` has one."""
    return (codecs.BOM_UTF8 if original.startswith(codecs.BOM_UTF8) else b"") + text.encode("utf-8")


def line_of(text: str, offset: int) -> int:
    """Return the line, from 1, in which `offset` stands."""
    return text.count("\n", 0, offset) + 1


def newline_of(text: str) -> str:
    """Return the line end that most lines of `text` have."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf * 2 > text.count("\n") else "\n"


def with_line_ends_of(text: str, original: str) -> str:
    """Return `text` with the line ends of `original`, if that is consistent about them.

    Browsers send CRLF and stored texts are often normalised, so a translation's own line ends say nothing.
    """
    crlf, total = original.count("\r\n"), original.count("\n")
    if crlf not in (0, total):
        return text
    unix = text.replace("\r\n", "\n")
    return unix.replace("\n", "\r\n") if crlf else unix

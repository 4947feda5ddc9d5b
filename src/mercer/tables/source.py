"""The bytes of a table, from a file, a gzip file or standard input; and their format."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from pathlib import Path
from typing import BinaryIO

from mercer.config import config
from mercer.errors import TableError, bad
from mercer.tables import svmlight

Source = str | os.PathLike[str]
FORMATS = ("csv", "tsv", "parquet", "json", "jsonl", "svmlight")
_ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet", ".json": "json",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".svmlight": "svmlight", ".svm": "svmlight", ".libsvm": "svmlight",
}  # fmt: skip
_ZIPPED = b"\x1f\x8b"


def name_of(source: Source) -> str:
    """The name of a source in messages; TypeError if it is not a source."""
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f"read: source must be a path, '-' for standard input, a data frame or a dict of columns; got "
            f"{type(source).__name__}. Arrays need no reading: estimators and kernels take them."
        )
    return "standard input" if source == "-" else os.fspath(source)


def content_of(source: Source) -> bytes:
    """The bytes of a source, unpacked, within the memory budget."""
    if source == "-":
        return _unpacked(_limited(sys.stdin.buffer))
    with open(source, "rb") as file:
        return _unpacked(_limited(file))


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(_ZIPPED):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as file:
            return _limited(file)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(
            f"expected a gzip file, got one that cannot be unpacked: {error}. Compress it again."
        ) from None


def _limited(file: BinaryIO | gzip.GzipFile) -> bytes:
    most = int(config().memory)
    content = file.read(most + 1)
    if len(content) > most:
        raise TableError(f"expected a table within the memory budget of {most} bytes, got a larger one. "
                         "Read it inside `with mercer.configure(memory=...)`, or take fewer rows.")  # fmt: skip
    return content


def format_of(source: Source, content: bytes, given: str | None) -> str:
    """The format: as given, or by the end of the name, or by the content."""
    if given is not None:
        if given not in FORMATS:
            raise bad(
                "read",
                "format",
                f"one of {list(FORMATS)}",
                repr(given),
                "Leave it out to go by the content.",
            )
        return given
    path = Path(os.fspath(source))
    ending = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    return _ENDINGS.get(ending.lower()) or _by_content(content)


def _by_content(content: bytes) -> str:
    if content.startswith(b"PAR1"):
        return "parquet"
    head = content[:100_000].decode("utf-8-sig", errors="replace").split("\n")
    line = next((line for line in head if line.strip() and not line.startswith("#")), "")
    if line.lstrip().startswith(("{", "[{")) or line.strip() == "[":
        return "json"
    return "svmlight" if svmlight.looks_like(line.rstrip("\r")) else "csv"


def text_of(content: bytes) -> str:
    """Bytes as text in UTF-8, with or without a byte order mark."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise TableError("expected text in UTF-8, got UTF-16. Save the file as UTF-8.")
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise TableError(f"line {line}: expected text, got a NUL byte. The file is binary, damaged or not in UTF-8.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TableError(f"line {line}: expected text in UTF-8, got the byte 0x{content[error.start]:02x}. "
                         "Save the file as UTF-8.") from None  # fmt: skip

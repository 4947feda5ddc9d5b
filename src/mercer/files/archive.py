"""The container: a zip of JSON and raw arrays, with a checksum of every member.

    manifest.json    format, version, what it was made with, size and checksum of the other members
    model.json       the model, with references to arrays
    arrays/0 ...     the bytes of arrays

The checksum of the manifest is the comment of the zip.  Equal models make equal files, byte for byte.

Reading trusts nothing: names and sizes are compared with the manifest and with the memory budget before any member is
inflated, and names are never used as paths.
"""

from __future__ import annotations

import json
import os
import secrets
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib.metadata import version as version_of
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from mercer.config import config
from mercer.errors import ModelFileError
from mercer.files.faults import broken

FORMAT, VERSION = "mercer model", 1
MANIFEST, MODEL = "manifest.json", "model.json"
_PER_BYTE = 16  # bytes of Python objects that a byte of JSON may become
_SAMPLE = 2**16  # bytes of a member that are compressed to see whether that is worth while
_PACKAGES = ("mercer", "numpy", "scikit-learn")


def digest(data: Any) -> str:
    """The checksum of some bytes."""
    return blake2b(data, digest_size=32).hexdigest()


def member(number: int) -> str:
    """The name of an array in the file."""
    return f"arrays/{number}"


# ---- writing


def written(path: str, tree: Any, arrays: Sequence[memoryview]) -> None:
    """Write a model to a temporary file beside `path` and rename it, so that a failure leaves the old file."""
    target = os.path.realpath(path)
    temporary = f"{target}.{secrets.token_hex(4)}.tmp"
    try:
        with open(temporary, "xb") as file:
            _write(file, tree, arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(os.path.dirname(target))


def _write(file: BinaryIO, tree: Any, arrays: Sequence[memoryview]) -> None:
    contents = {MODEL: memoryview(_json(tree)), **{member(i): data for i, data in enumerate(arrays)}}
    manifest = _json({
        "format": FORMAT,
        "version": VERSION,
        "made_with": {name: version_of(name) for name in _PACKAGES},
        "members": {name: [data.nbytes, digest(data)] for name, data in contents.items()},
    })  # fmt: skip
    with ZipFile(file, "w") as archive:
        archive.comment = digest(manifest).encode()
        for name, data in {MANIFEST: memoryview(manifest), **contents}.items():
            info = ZipInfo(name)  # dated 1980, so that equal models make equal files
            info.compress_type = ZIP_DEFLATED if _shrinks(data) else ZIP_STORED
            with archive.open(info, "w", force_zip64=data.nbytes >= 2**31) as inside:
                inside.write(data)


def _json(tree: Any) -> bytes:
    return json.dumps(tree, allow_nan=False, separators=(",", ":")).encode()


def _shrinks(data: memoryview) -> bool:
    sample = data[:_SAMPLE]
    return len(zlib.compress(sample, 1)) < 0.9 * sample.nbytes


def _sync_folder(folder: str) -> None:
    """Make the new name of the file survive a power cut, on systems that can be asked to."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# ---- reading


@contextmanager
def opened(file: BinaryIO) -> Iterator[Archive]:
    """The archive in an open file."""
    try:
        inside = ZipFile(file)
    except BadZipFile:
        raise broken("the file", "one that mercer.save has written", "something else, or a part of one") from None
    with inside:
        yield Archive(inside)


class Archive:
    """The members of a file.  Names and sizes are checked at once, the bytes of a member when it is read."""

    def __init__(self, inside: ZipFile) -> None:
        self._inside = inside
        self._budget = int(config().memory)
        self._infos = _by_name(inside.infolist())
        raw = self._json_bytes(MANIFEST)
        self.members = _checked_manifest(raw)
        if inside.comment != digest(raw).encode():
            raise broken(MANIFEST, "as it was written", "other bytes: its checksum is wrong")
        self._compare()
        self._unused = set(self.members)
        self.tree = parsed(self._verified(MODEL, self._json_bytes(MODEL)))

    def _compare(self) -> None:
        """Refuse members that the manifest does not list, and sizes that differ from it."""
        found = {name: info.file_size for name, info in self._infos.items() if name != MANIFEST}
        listed = {name: size for name, (size, _) in self.members.items()}
        if found != listed:
            odd = sorted(name for name in found.keys() | listed.keys() if found.get(name) != listed.get(name))
            raise broken("the members", "those of the manifest", f"a difference in {odd[0]!r}")
        self.spend(sum(found.values()))

    def spend(self, size: int) -> None:
        """Refuse to go over the memory budget."""
        if size > self._budget:
            raise broken("the size of the model", f"within the memory budget of {self._budget} bytes", f"{size} bytes",
                         "If you trust the file, read it inside `with mercer.configure(memory=...)`.")  # fmt: skip

    def read(self, name: str) -> bytes:
        """The bytes of a member that the manifest lists."""
        if name not in self.members or name == MODEL:
            raise broken("an array", "one of the file's members", repr(name))
        return self._verified(name, self._inside.read(name))

    def require_all_used(self) -> None:
        """Refuse members that the model does not refer to."""
        if self._unused:
            raise broken("every member", "part of the model", f"{min(self._unused)!r}, which is not")

    def _json_bytes(self, name: str) -> bytes:
        if name not in self._infos:
            raise broken("the file", "one that mercer.save has written", f"a zip without {name}")
        self.spend(_PER_BYTE * self._infos[name].file_size)
        return self._inside.read(name)

    def _verified(self, name: str, data: bytes) -> bytes:
        if digest(data) != self.members[name][1]:
            raise broken(name, "as it was written", "other bytes: its checksum is wrong")
        self._unused.discard(name)
        return data


def _by_name(infos: list[ZipInfo]) -> dict[str, ZipInfo]:
    found = {info.filename: info for info in infos}
    if len(found) != len(infos):
        raise broken("the members", "of different names", "a name twice")
    return found


def _checked_manifest(raw: bytes) -> dict[str, tuple[int, str]]:
    """Size and checksum of every member, from a manifest of a version that is understood."""
    manifest = parsed(raw)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise broken("the file", "one that mercer.save has written", "a zip of another format")
    if manifest.get("version") != VERSION:
        made = manifest.get("made_with")
        by = made.get("mercer") if isinstance(made, dict) else None
        raise broken("the format of the file", f"version {VERSION}", f"version {manifest.get('version')}",
                     f"It was written by mercer {by}, this is {version_of('mercer')}: install that one.")  # fmt: skip
    members = manifest.get("members")
    if not isinstance(members, dict) or not all(map(_is_entry, members.values())) or MODEL not in members:
        raise broken(MANIFEST, "a list of members with sizes and checksums", "something else")
    return {name: (size, checksum) for name, (size, checksum) in members.items()}


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, list) and [type(part) for part in entry] == [int, str]


def parsed(raw: bytes) -> Any:
    """A JSON text; unlike Python's own reader, NaN and repeated keys are refused."""
    return json.loads(raw.decode("ascii"), parse_constant=_no_constant, object_pairs_hook=_unique)


def _no_constant(name: str) -> Any:
    raise broken("a number", "finite in JSON", name)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ModelFileError("JSON must have each key once; got one twice. Save the model again.")
    return found

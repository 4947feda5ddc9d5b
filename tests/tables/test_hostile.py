"""Tables and kernel expressions made to do harm: mutated by chance, they give a value or our error, soon, and no more.

300 random inputs are tried, half of them files and half expressions; MERCER_FUZZ=10000 in the environment tries
10 000.
"""

from __future__ import annotations

import gzip
import os
import random
import string
import sys
import time

import numpy as np
import pytest

import mercer
from mercer import TableError
from mercer.kernels import Kernel
from mercer.tables import default_kernel, read

COUNT = int(os.environ.get("MERCER_FUZZ", "300")) // 2
SECONDS = 10.0  # for one input; the slowest takes a few hundredths, and others may be busy
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "pickle.find_class",
             "socket.connect", "os.remove", "os.rename", "ctypes.dlopen")  # fmt: skip

PEOPLE = "age,job,note,label\n" + "\n".join(
    f'{20 + i % 30}.5,{"NA" if i % 7 == 0 else "smith" if i % 2 else "clerk"},"likes {i}, and ""more""",{i % 2}'
    for i in range(30)
)
FILES = {
    "people.csv": PEOPLE.encode(),
    "people.tsv": PEOPLE.replace(",", "\t").encode(),
    "people.dat": PEOPLE.replace(",", ";").encode("utf-8-sig"),
    "people.psv": b"# by hand\n" + PEOPLE.replace(",", "|").encode(),
    "people.txt": b"# by hand\n" + PEOPLE.replace(",", " ").encode(),
    "people.csv.gz": gzip.compress(PEOPLE.encode(), mtime=0),
    "rows.jsonl": b"\n".join(b'{"a": %d, "b": "w%d", "c": null, "d": true}' % (i, i % 3) for i in range(20)),
    "rows.json": b"[" + b",\n".join(b'{"a": %d, "b": "w%d", "c": null}' % (i, i % 3) for i in range(20)) + b"]",
    "rows.svm": b"\n".join(b"%d 1:%d.5 7:1e%d # row" % (i % 2, i, i % 9) for i in range(20)),
}
TOKENS = [
    *(c.encode() for c in "\0\",;\t\n\r{}:# ?-e."), b"\r\n", b'""', b"\xff", b"\xef\xbb\xbf", b"NaN", b"inf", b"-1e999",
    b"1_000", b"[" * 50, b"__import__('os')", b"=cmd|'/c calc'!A1", b"9" * 400, b"x" * 1000, b"1:1", b"\\u0000",
    "\u202e\u00e9\U0001f600".encode(),
]  # fmt: skip
EXPRESSIONS = [
    "2.0 * RBF(1.5) * Matern(3.0, nu=2.5) + Fixed(0.1) * Linear() ** 2",
    "On(['age', 'hours'], RBF(Bounded(2.0, 0.1, 10.0))) + On('text', TfIdf()) * On(['job'], Hamming((1.0, 2.0)))",
    "Normalised(Polynomial(3, offset=0.5)) - Exp(Cosine()) + Constant(2.0)",
    "Lookup(('u', 'v'), [[1.0, 0.2], [0.2, 1.0]])",
    "ANOVA(2, RBF()) + PolynomialOf(Linear(), coefficients=[1.0, 0.0, 2.0]) + White(0.1)",
    "Mahalanobis([[1.0, 0.2], [0.2, 2.0]]) + Periodic(1.0, period=2.0)",
]
WORDS = [
    *"()[],+-*/.:'\"=@<>%&|^~!\\#\n\t x", "**", "**9**9**9", "10**400", "1e999", "nan", "inf", "None", "True", "0",
    "-1", "1j", "eval('1')", "lambda: 0", "__import__('os').system('true')", "Similarity(print)", "FeatureMap",
    "Kernel", "kernel", "parse", "Sum", "RBF", "Linear()", "*args", "**kw", "f'{1}'", "b'x'", "...", "{}",
    "(1 for x in y)", "if", "else", "[" * 40, "(" * 300, "-" * 300, "9" * 5000, "\0", "\u202e", "é",
    "RBF()" + "+RBF()" * 200,
]  # fmt: skip


class Watch:
    """Counts forbidden events of the interpreter while it is on."""

    def __init__(self):
        self.on, self.seen = False, []
        sys.addaudithook(self)

    def __call__(self, event, args):
        if self.on and (event in FORBIDDEN or _writes(event, args) or _runs_text(event, args)):
            self.seen.append((event, args))


def _writes(event, args) -> bool:
    return event == "open" and bool(set(str(args[1])) & set("wxa+"))


def _runs_text(event, args) -> bool:
    """Whether code is run that is no module of a file."""
    return event == "exec" and not os.path.exists(getattr(args[0], "co_filename", ""))


WATCH = Watch()


def mutated(random_, content: bytes) -> bytes:
    """Some bytes changed, removed, repeated, or replaced by what readers stumble over."""
    data = bytearray(content)
    for _ in range(random_.choice([1, 1, 2, 5, 20])):
        i = random_.randrange(len(data) + 1)
        j = min(len(data), i + random_.choice([0, 1, 3, 30]))
        what = random_.randrange(6)
        if what == 0:
            data[i:j] = random_.choice(TOKENS)
        elif what == 1:
            data[i:j] = random_.randbytes(j - i)
        elif what == 2:
            del data[i:j]
        elif what == 3:
            data[i:i] = data[i:j] * random_.choice([2, 50])
        elif what == 4:
            del data[i:]
        else:
            data[i:i] = random_.choice(TOKENS)
    return bytes(data)


def garbled(random_, text: str) -> str:
    """An expression with some of its pieces replaced, removed or repeated."""
    for _ in range(random_.choice([1, 1, 2, 5])):
        i = random_.randrange(len(text) + 1)
        j = min(len(text), i + random_.choice([0, 1, 4, 15]))
        word = random_.choice([random_.choice(WORDS), text[i:j] * 3, random_.choice(string.printable)])
        text = text[:i] + word + text[j:]
    return text


class Attempt:
    """One input: nothing forbidden happens, and it does not take long."""

    def __enter__(self):
        WATCH.on, WATCH.seen, self.began = True, [], time.perf_counter()

    def __exit__(self, *error):
        WATCH.on = False
        assert not WATCH.seen, WATCH.seen[:3]
        assert time.perf_counter() - self.began < SECONDS


def attempted(function, given, *errors):
    """(value, None) or (None, message): any other error fails the test."""
    try:
        with Attempt():
            return function(given), None
    except errors as error:
        return None, str(error)


def test_the_watch_sees_what_it_is_to_see(tmp_path):
    for harm in (lambda: eval("1"), lambda: os.system("true"), lambda: (tmp_path / "x").write_text("")):
        with pytest.raises(AssertionError), Attempt():
            harm()


@pytest.mark.parametrize("name", FILES)
def test_mutated_files(tmp_path, name):
    random_, path = random.Random(name), tmp_path / name
    good = 0
    for _ in range(COUNT // len(FILES) + 1):
        path.write_bytes(mutated(random_, FILES[name]))
        table, message = attempted(read, path, TableError)
        if message is not None:
            assert message.startswith(str(path))
            assert "\n" not in message
        else:
            assert len(table) > 0
            good += 1
            for column, kind in zip(table.columns.values(), table.kinds.values(), strict=True):
                assert len(column) == len(table)
                assert kind != "numeric" or not np.isinf(column).any()
    assert good or name.endswith((".gz", ".json"))  # some survive their wounds: the test looks beyond the door


@pytest.mark.parametrize("name", ["people.csv", "rows.jsonl", "rows.svm"])
def test_what_survives_has_a_kernel_or_says_why(tmp_path, name):
    random_, path = random.Random(f"kernel {name}"), tmp_path / name
    path.write_bytes(FILES[name])
    default_kernel(read(path))  # what is imported at first use is none of the events watched for
    for _ in range(COUNT // 30 + 3):
        path.write_bytes(mutated(random_, FILES[name]))
        found, _ = attempted(lambda source: read(source).split_target(), path, TableError)
        if found is not None:
            table, y, task = found
            kernel, _ = attempted(default_kernel, table)
            assert len(table) == len(y)
            assert task in ("classification", "regression")
            assert mercer.parse(repr(kernel)) == kernel


def test_garbled_expressions():
    random_, good = random.Random("expressions"), 0
    for i in range(COUNT):
        text = garbled(random_, EXPRESSIONS[i % len(EXPRESSIONS)])
        found, message = attempted(mercer.parse, text, ValueError, TypeError)
        good += isinstance(found, Kernel)
        assert isinstance(found, Kernel) or " must " in message, (text, message)
    assert good

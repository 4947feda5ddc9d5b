"""Files made to do harm: mutated, cut, inflated or forged.  They give our error and nothing else happens.

1000 random files are tried, half of them damaged and half forged; MERCER_FUZZ=10000 in the environment tries 10 000.
"""

from __future__ import annotations

import copy
import io
import json
import os
import random
import sys
import time
import tracemalloc
import zipfile
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import mercer
from mercer import SVC, SVR, GaussianProcessRegressor, KernelRidge, ModelFileError
from mercer.files import archive
from mercer.files.registry import homes, named
from mercer.items import Table
from mercer.kernels import RBF, Centred, Lookup, On, TfIdf

COUNT = int(os.environ.get("MERCER_FUZZ", "1000")) // 2
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "pickle.find_class",
             "socket.connect", "os.remove", "os.rename", "ctypes.dlopen")  # fmt: skip

rng = np.random.default_rng(0)
X = rng.normal(size=(12, 2))
TEXTS = ["a cat", "the dog", "a dog", "two cats", "the end", "a a b", "cat", "dog", "b", "c d", "e", "f a"]
number = X[:, 0]
label = np.where(number > 0.0, "u", "v")
TABLE = Table.check({"x": X[:, 0], "t": TEXTS}, "test")
MODELS = [
    (SVC(probability=True, random_state=0).fit(X, label), X),
    (make_pipeline(StandardScaler(), KernelRidge(kernel=RBF(1.0))).fit(X, number), X),
    (SVR(kernel=On("x", Centred(RBF())) + On("t", TfIdf())).fit(TABLE, number), TABLE),
    (SVR(kernel="linear").fit(csr_array(X * (X > 0)), number), X),
    (GaussianProcessRegressor().fit(X, number), X),
    (make_pipeline(TfidfVectorizer(), PCA(2, random_state=0), SVC()).fit(TEXTS, label), TEXTS),
    (
        make_pipeline(ColumnTransformer([("n", SimpleImputer(), [0]), ("c", OneHotEncoder(), [1])]), SVR()).fit(
            np.round(X), number
        ),
        np.round(X),
    ),
    (KernelRidge(kernel=Lookup(("u", "v"), [[1.0, 0.2], [0.2, 1.0]])).fit(label.tolist(), number), label.tolist()),
]


for name in homes():  # imports of our own modules are none of the events that are watched for
    named(name)


class Canary:
    """Anything done with this class is seen."""

    touched = False

    def __new__(cls, *args, **kwargs):
        Canary.touched = True
        return super().__new__(cls)


class Watch:
    """Counts forbidden events of the interpreter while it is on."""

    def __init__(self):
        self.on, self.seen = False, []
        sys.addaudithook(self)

    def __call__(self, event, args):
        if self.on and (event in FORBIDDEN or (event == "open" and set(str(args[1])) & set("wxa+"))):
            self.seen.append((event, args))


WATCH = Watch()


def blob(model) -> bytes:
    """The file of a model."""
    tree, arrays = parts(model)
    return forged(tree, arrays)


def parts(model):
    from mercer.files.encode import Encoder

    encoder = Encoder("model")
    return encoder.encode(model), [bytes(data) for data in encoder.members]


def forged(tree, arrays) -> bytes:
    """A file of any tree and arrays, with the right checksums."""
    file = io.BytesIO()
    archive._write(file, tree, [memoryview(data) for data in arrays])
    return file.getvalue()


def attempt(path, content: bytes):
    """(model, None) or (None, error): anything but a model or our error fails the test."""
    path.write_bytes(content)
    WATCH.on, begun = True, time.perf_counter()
    try:
        return mercer.load(path), None
    except ModelFileError as error:
        return None, error
    finally:
        WATCH.on = False
        assert time.perf_counter() - begun < 10.0
        seen, WATCH.seen = WATCH.seen, []
        assert not seen
        assert not Canary.touched


def values(model, items):
    return model.decision_function(items) if hasattr(model, "decision_function") else model.predict(items)


# ---- random files


def mutated(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    match chance.randrange(5):
        case 0:
            for _ in range(chance.choice([1, 1, 1, 2, 5, 50])):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        case 1:
            del data[chance.randrange(len(data)) :]
        case 2:
            at = chance.randrange(len(data))
            del data[at : at + chance.randrange(1, 40)]
        case 3:
            at = chance.randrange(len(data))
            data[at:at] = chance.randbytes(chance.randrange(1, 40))
        case 4:
            at, to = chance.randrange(len(data)), chance.randrange(len(data))
            data[to : to + 20] = data[at : at + 20]
    return bytes(data)


@pytest.mark.parametrize("which", range(len(MODELS)))
def test_a_damaged_file_is_refused_or_still_the_same_model(which, tmp_path):
    model, items = MODELS[which]
    content, expected, chance, refused = blob(model), values(model, items), random.Random(which), 0
    for _ in range(COUNT // len(MODELS)):
        found, error = attempt(tmp_path / "m", mutated(content, chance))
        refused += error is not None
        if found is not None:  # a bit that nobody reads, as the date of a member
            np.testing.assert_allclose(values(found, items), expected, rtol=1e-12, atol=1e-15)
    assert refused > COUNT / len(MODELS) / 2


HOSTILE = [
    None, True, -1, 0, 3, 2**63, -(2**200), 1e308, 10**12, "", "x", "__class__", "nan", [], [[]], {}, {"is": "object"},
    {"is": "object", "class": "os.system", "of": {"command": "true"}},
    {"is": "object", "class": f"{__name__}.Canary", "of": {}},
    {"is": "machine", "class": "builtins.eval", "of": {}, "fitted": {}},
    {"is": "machine", "class": "subprocess.Popen", "of": {"args": ["true"]}, "fitted": {}},
    {"is": "machine", "class": "mercer.svm_path", "of": {}, "fitted": {}},
    {"is": "object", "class": "mercer.SVC", "of": {}},
    {"is": "machine", "class": "mercer.kernels.RBF", "of": {}, "fitted": {}},
    {"is": "machine", "class": "mercer.SVC", "of": {}, "fitted": {"__class__": 1}},
    {"is": "machine", "class": "mercer.SVC", "of": {}, "fitted": {"predict": 1}},
    {"is": "machine", "class": "mercer.SVC", "of": {"nonsense": 1}, "fitted": {}},
    {"is": "object", "class": "mercer.kernels.Similarity", "of": {"function": 1}},
    {"is": "object", "class": "mercer.kernels.RBF", "of": {"lengthscale": -1.0}},
    {"is": "object", "class": "mercer.kernels.ANOVA", "of": {"degree": 10**12}},
    {"is": "array", "of": 0, "dtype": "|O", "shape": [1], "order": "C"},
    {"is": "array", "of": 0, "dtype": "<f8", "shape": [10**12], "order": "C"},
    {"is": "array", "of": 0, "dtype": "<f8", "shape": [-1], "order": "C"},
    {"is": "array", "of": 0, "dtype": "<U0", "shape": [10**9], "order": "C"},
    {"is": "array", "of": -1, "dtype": "<f8", "shape": [0], "order": "C"},
    {"is": "array", "of": "../../etc/passwd", "dtype": "<f8", "shape": [0], "order": "C"},
    {"is": "values", "shape": [10**9], "of": []},
    {"is": "range", "of": [0, 10**18, 1]}, {"is": "range", "of": [0, 1, 0]},
    {"is": "again", "of": 0}, {"is": "again", "of": 10**6}, {"is": "dict", "of": [[[], 1]]}, {"is": "set", "of": [[1]]},
    {"is": "float", "of": "1e5"}, {"is": "bytes", "of": "xyz"}, {"is": "scalar", "dtype": "<f8", "of": "00"},
    {"is": "sparse", "class": "csr_array", "shape": [10**9, 10**9], "of": []}, {"is": "slice", "of": ["a", 1, 2]},
]  # fmt: skip


def places(tree, found=None):
    """Every (container, key) of a tree."""
    found = [] if found is None else found
    for key in tree if isinstance(tree, dict) else range(len(tree)):
        found.append((tree, key))
        if isinstance(tree[key], (dict, list)):
            places(tree[key], found)
    return found


def changed(tree, chance: random.Random):
    """The tree with a few of its places filled by something else."""
    whole = [copy.deepcopy(tree)]
    names = sorted(homes())
    for _ in range(chance.choice([1, 1, 2, 4])):
        spots = places(whole)
        holder, key = chance.choice(spots)
        match chance.randrange(6):
            case 0 | 1:
                holder[key] = copy.deepcopy(chance.choice(HOSTILE))
            case 2:
                other, at = chance.choice(spots)
                holder[key] = copy.deepcopy(other[at])
            case 3 if isinstance(holder, dict):
                holder[chance.choice(["is", "of", "class", "fitted", "kernel", "values", "__init__"])] = holder.pop(key)
            case 4 if isinstance(holder, dict) and "class" in holder:
                holder["class"] = chance.choice(names)
            case _:
                del holder[key]
        whole = whole or [None]
    return whole[0]


@pytest.mark.parametrize("which", range(len(MODELS)))
def test_a_forged_file_with_right_checksums_gives_a_model_or_our_error(which, tmp_path):
    tree, arrays = parts(MODELS[which][0])
    chance, refused = random.Random(which), 0
    for _ in range(COUNT // len(MODELS)):
        numbers = [mutated(a, chance) if a and chance.random() < 0.05 else a for a in arrays]
        _, error = attempt(tmp_path / "m", forged(changed(tree, chance), numbers))
        refused += error is not None
    assert refused > COUNT / len(MODELS) / 2


# ---- files made on purpose


@contextmanager
def at_most(size: int):
    """Fails if more bytes than that were allocated at a time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("tree", HOSTILE[16:], ids=lambda tree: str(tree)[:60])
def test_every_hostile_value_is_refused_or_harmless_in_little_memory(tree, tmp_path):
    content = forged(tree, [b"\0" * 8])
    with at_most(20 * 2**20):
        _, error = attempt(tmp_path / "m", content)
    assert error is not None  # if for nothing else, for the array that nothing refers to


def refuse(tmp_path, content: bytes, message: str):
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(ModelFileError, match=message):
        mercer.load(tmp_path / "m")


def test_only_classes_of_the_list_are_built(tmp_path):
    for name in (
        "os.system",
        f"{__name__}.Canary",
        "builtins.eval",
        "mercer.kernels.Kernel",
        "mercer.kernels.parse",
        "mercer.config",
    ):
        for kind in ({"is": "object"}, {"is": "machine", "fitted": {}}):
            refuse(tmp_path, forged(kind | {"class": name, "of": {}}, []), "a class must be one that mercer knows")
    assert not Canary.touched


def test_every_class_of_the_list_exists():
    for name in homes():
        assert named(name).__name__ == name.rpartition(".")[2]


def test_deep_nesting_is_refused(tmp_path):
    deep = []
    for _ in range(500):
        deep = [deep]
    refuse(tmp_path, forged(deep, []), "nested at most 100 deep")
    text = b"[" * 10**5 + b"]" * 10**5
    refuse(tmp_path, with_member(blob(RBF()), "model.json", text), "RecursionError|nested")


def test_a_tower_of_kernels_is_built_in_linear_time(tmp_path):
    k = RBF()
    for _ in range(20):
        k = (k + 1.0) * RBF()
    mercer.save(k, tmp_path / "m")
    begun = time.perf_counter()
    assert mercer.load(tmp_path / "m") == k
    assert time.perf_counter() - begun < 1.0


def with_member(content: bytes, name: str, data: bytes, *, honest: bool = True) -> bytes:
    """The file with one member replaced, and with checksums that know of it if `honest`."""
    with zipfile.ZipFile(io.BytesIO(content)) as inside:
        members = {info.filename: inside.read(info) for info in inside.infolist()}
    members[name] = data
    if honest and name != "manifest.json":
        manifest = json.loads(members["manifest.json"])
        manifest["members"][name] = [len(data), archive.digest(data)]
        members["manifest.json"] = json.dumps(manifest).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        out.comment = archive.digest(members["manifest.json"]).encode()
        for key, value in members.items():
            out.writestr(key, value)
    return file.getvalue()


@pytest.mark.parametrize("text", [
    b'{"is": "object", "is": "object"}', b"[NaN]", b"[Infinity]", b"[1e999]", b"nothing", b'"\xff"',
    b"[" + b"9" * 5000 + b"]", b'{"is":"array","of":0,"dtype":"<f8","shape":[NaN],"order":"C"}',
    b'{"is":"array","of":0,"dtype":"<f8","shape":[1.5],"order":"C"}',
])  # fmt: skip
def test_json_that_is_none_is_refused(text, tmp_path):
    _, error = attempt(tmp_path / "m", with_member(blob(RBF()), "model.json", text))
    assert error is not None


def test_a_member_that_was_exchanged_is_found_by_its_checksum(tmp_path):
    content = blob(MODELS[0][0])
    zeros = bytes(zipfile.ZipFile(io.BytesIO(content)).getinfo("arrays/0").file_size)
    refuse(tmp_path, with_member(content, "arrays/0", zeros, honest=False), "arrays/0 must be as it was written")


def test_a_manifest_that_was_exchanged_is_found_by_its_checksum(tmp_path):
    content = blob(RBF())
    at = content.rindex(archive.digest(zipfile.ZipFile(io.BytesIO(content)).read("manifest.json")).encode())
    refuse(tmp_path, content[:at] + b"0" * 64, r"manifest\.json must be as it was written")


def test_members_beside_the_model_are_refused(tmp_path):
    refuse(
        tmp_path, with_member(blob(RBF()), "../evil", b"x", honest=False), "the members must be those of the manifest"
    )
    refuse(tmp_path, with_member(blob(RBF()), "../evil", b"x"), "every member must be part of the model")
    assert os.listdir(tmp_path) == ["m"]


def test_a_zip_bomb_is_refused_before_it_is_inflated(tmp_path):
    size = 2**26
    tree = {"is": "array", "of": 0, "dtype": "|u1", "shape": [size], "order": "C"}
    content = forged(tree, [bytes(size)])
    assert len(content) < size / 500
    (tmp_path / "m").write_bytes(content)
    with at_most(2**22), mercer.configure(memory=2**24), pytest.raises(ModelFileError, match=r"budget.*configure"):
        mercer.load(tmp_path / "m")


def test_references_cannot_be_nested_into_an_endless_model(tmp_path):
    """Twice the same inside twice the same, forty times over, would take 2^40 steps to print."""
    tree = []
    for i in range(40):
        inner = [{"is": "again", "of": i - 1}] * 2 if i else []
        tree.append({"is": "object", "class": "mercer.items.Objects", "of": {"values": inner}})
    refuse(tmp_path, forged(tree, []), "a reference must be to something simpler")
    tree = [{"is": "values", "shape": [2], "of": [{"is": "again", "of": 0}] * 2}]
    refuse(tmp_path, forged(tree, []), "a reference must be below 0")


@pytest.mark.parametrize("name", ["Vectors", "Strings", "Documents", "Sets", "Categories", "Intervals", "Objects"])
@pytest.mark.parametrize("size", [10**7, 10**18])
def test_a_range_is_not_written_out_as_items(name, size, tmp_path):
    values = {"is": "range", "of": [0, size, 1]}
    content = forged({"is": "object", "class": f"mercer.items.{name}", "of": {"values": values}}, [])
    with at_most(2**20):
        _, error = attempt(tmp_path / "m", content)
    assert "must be" in str(error)


def test_one_array_asked_for_again_and_again_is_refused_before_it_is_allocated(tmp_path):
    size = 2**20
    one = {"is": "array", "of": 0, "dtype": "|u1", "shape": [size], "order": "C"}
    (tmp_path / "m").write_bytes(forged([one] * 1000, [bytes(size)]))
    with mercer.configure(memory=2**24), pytest.raises(ModelFileError, match="memory budget"):
        mercer.load(tmp_path / "m")


@pytest.mark.parametrize(("part", "at", "value"), [(1, 0, 99), (1, 0, -1), (2, 1, 10**6), (2, -1, 10**6), (2, 0, 5)])
def test_a_sparse_matrix_whose_indices_lead_outside_is_refused(part, at, value, tmp_path):
    A = csr_array(np.eye(4, 3))
    tree, _ = parts(A)
    arrays = [A.data, A.indices.copy(), A.indptr.copy()]
    arrays[part][at] = value
    order = [leaf["of"] for leaf in tree["of"]]
    refuse(tmp_path, forged(tree, [arrays[order.index(i)].tobytes() for i in range(3)]), "ValueError|must be")


@pytest.mark.parametrize("codes", [[0, 7], [1, 0], [0, 0], [0, -1]])
def test_a_vocabulary_whose_codes_lead_outside_is_refused(codes, tmp_path):
    tree, arrays = parts(TfIdf().fit(["a b", "b b"]))
    known = tree["of"]["frame"]["of"]["known"]
    known["of"] = [[word, code] for (word, _), code in zip(known["of"], codes, strict=True)]
    refuse(tmp_path, forged(tree, arrays), "a frame must be")


@pytest.mark.parametrize(("dtype", "data"), [("|b1", b"\2"), ("<U1", b"\xff\xff\xff\xff")])
def test_bytes_that_stand_for_nothing_are_refused(dtype, data, tmp_path):
    tree = {"is": "array", "of": 0, "dtype": dtype, "shape": [1], "order": "C"}
    refuse(tmp_path, forged(tree, [data]), "truth values or letters")

"""Tables from files: formats, delimiters, headers, gaps; every fault by file, line and column (C, I)."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import mercer
from mercer import TableError
from mercer.tables import read
from mercer.tables.cells import MISSING

PEOPLE = "age,job,note\n31,clerk,\n45,NA,likes long walks\n,smith,sings in a choir\n"


@pytest.fixture
def written(tmp_path):
    """A file with that content, by name."""

    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def fault(path, **options) -> str:
    with pytest.raises(TableError) as caught:
        read(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_columns_kinds_and_gaps(written):
    table = read(written(PEOPLE))
    assert table.kinds == {"age": "numeric", "job": "categorical", "note": "text"}
    assert_array_equal(table.columns["age"], [31.0, 45.0, np.nan])
    assert table.columns["job"].tolist() == ["clerk", None, "smith"]
    assert table.columns["note"].tolist() == [None, "likes long walks", "sings in a choir"]
    assert len(table) == 3


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_delimiter_is_found(written, delimiter, end):
    table = read(written(end.join(["a x,b,c", '1,"u, v; w",2', "3,z,4", ""]).replace(",", delimiter)))
    assert list(table.columns) == [f"a x{delimiter}b{delimiter}c".split(delimiter)[j] for j in range(3)]
    assert table.columns["c"].tolist() == [2.0, 4.0]


SPACED = {
    "one space": "a b c\n1 u 2.5\n3 v 4\n",
    "aligned": "  a  b    c\n  1  u  2.5\n  3  v    4\n",
    "tabs too": "a \tb  c \n1\t u\t2.5\n3 v 4  \n",
    "quotes": 'a b c\n1 "u" 2.5\n3 "v" 4\n',
    "comments": "# made by hand\n\na b c\n1 u 2.5\n# half\n3 v 4\n",
    "a header in a comment": "# made by hand\n# a b c\n1 u 2.5\n3 v 4\n",
    "windows": "a b c\r\n1 u 2.5\r\n3 v 4\r\n",
}


@pytest.mark.parametrize("content", SPACED.values(), ids=SPACED)
@pytest.mark.parametrize("name", ["data.csv", "data.txt", "data.dat"])
def test_spaces_are_a_delimiter_where_no_other_is(written, content, name):
    table = read(written(content, name))
    assert {column: values.tolist() for column, values in table.columns.items()} == {
        "a": [1.0, 3.0], "b": ["u", "v"], "c": [2.5, 4.0],
    }  # fmt: skip


def test_a_field_in_quotes_may_hold_spaces(written):
    assert read(written('a b\n1 "u v"\n2 "w x"\n')).columns["b"].tolist() == ["u v", "w x"]


def test_names_of_rows_as_r_writes_them(written):
    table = read(written('"mpg" "cyl"\n"Mazda RX4" 21 6\n"Datsun 710" 22.8 4\n'))
    assert list(table.columns) == ["Unnamed: 0", "mpg", "cyl"]
    assert table.columns["Unnamed: 0"].tolist() == ["Mazda RX4", "Datsun 710"]


@pytest.mark.parametrize("content", ["text\nthe cat sat\na dog ran\n", "one two\nthree four\nfive six\n", "x\n1\n2\n"])
def test_words_of_one_column_are_no_fields(written, content):
    assert len(read(written(content)).columns) == 1


def test_a_fault_between_spaces_is_named(written):
    rows = "".join(f"{i} {i % 3}\n" for i in range(300))
    assert "line 302: expected 2 fields between ' ', got 3" in fault(written("a b\n" + rows + "1 2 3\n"))


# ---- comments


def test_comments_are_skipped_and_lines_still_those_of_the_file(written):
    rows = [f"{i / 3:.3f},{i % 3}" for i in range(40)]
    content = "\n".join(
        ["# from the lab, 2024", "#", "", "age,code", *rows[:20], "# a remark", "#1.5,2", *rows[20:], "abc,1"]
    )
    assert "line 47, column 'age': expected a number, got 'abc'" in fault(written(content))
    table = read(written(content.rpartition("\n")[0]))
    assert (len(table), table.kinds) == (40, {"age": "numeric", "code": "numeric"})


@pytest.mark.parametrize("mark", ["# ", "#", "## "])
def test_the_names_may_be_in_a_comment(written, mark):
    np_header = f"{mark}length,width\n1.0,2.0\n3.0,4.0\n"
    assert list(read(written(np_header)).columns) == ["length", "width"]
    assert list(read(written(f"{mark}by me, today, twice\n1.0,2.0\n3.0,4.0\n")).columns) == ["x0", "x1"]
    assert list(read(written(f"{mark}u,v\nlength,width\n1.0,2.0\n3.0,4.0\n")).columns) == ["length", "width"]


def test_what_numpy_writes(tmp_path):
    np.savetxt(tmp_path / "a.txt", np.eye(3), header="a b c")
    table = read(tmp_path / "a.txt")
    assert list(table.columns) == ["a", "b", "c"]
    assert table.columns["b"].tolist() == [0.0, 1.0, 0.0]


def test_values_that_begin_with_the_sign_of_a_comment_are_values(written):
    colours = read(written("colour,n\n#ff0000,1\n#00ff00,2\nred,3\n"))
    assert colours.columns["colour"].tolist() == ["#ff0000", "#00ff00", "red"]
    gaps = read(written("#N/A,1.5\n2,3\n#DIV/0!,4\n5,6\n"))
    assert_array_equal(gaps.columns["x0"], [np.nan, 2.0, np.nan, 5.0])
    assert read(written('"#a",n\n"#b",2\n"#c",3\n')).columns["#a"].tolist() == ["#b", "#c"]


def test_only_comments_are_an_empty_file(written):
    assert "empty file" in fault(written("# one\n# two, three\n"))


def test_a_decimal_comma_is_understood_between_semicolons(written):
    table = read(written("a;b\n1,5;u, v\n-,25;w\n"))
    assert table.columns["a"].tolist() == [1.5, -0.25]
    assert table.columns["b"].tolist() == ["u, v", "w"]


def test_a_byte_order_mark_is_no_part_of_the_first_name(written):
    assert list(read(written("\ufeffa,b\n1,2\n")).columns) == ["a", "b"]


ANYWHERE = ["NA", "na", "NaN", "null", "NULL", "?", "none", "None", "N/A", "n/a", " N/A ", "#N/A", "<NA>", "n.a."]
AMONG_NUMBERS = ["-", "--", ".", "..", "–", "*", "missing", "Unknown", "#DIV/0!", "#VALUE!"]


@pytest.mark.parametrize("gap", ["", " ", *ANYWHERE])
def test_gaps(written, gap):
    table = read(written(f"a,b\n1,u\n{gap},{gap}\n3,v\n"))
    assert np.isnan(table.columns["a"][1])
    assert table.columns["b"].tolist() == ["u", None, "v"]


@pytest.mark.parametrize("gap", AMONG_NUMBERS)
def test_what_is_a_gap_among_numbers_may_be_a_name_among_names(written, gap):
    table = read(written(f"a,b\n1,u\n{gap},{gap}\n3,v\n"))
    assert table.kinds == {"a": "numeric", "b": "categorical"}
    assert np.isnan(table.columns["a"][1])
    assert table.columns["b"].tolist() == ["u", gap, "v"]


@pytest.mark.parametrize("gap", [*ANYWHERE, *AMONG_NUMBERS])
@pytest.mark.parametrize("share", [0.05, 0.6])
def test_gaps_do_not_make_a_column_of_numbers_categorical_and_are_noted(written, gap, share):
    cells = [gap if i < share * 60 else f"{i / 7:.3f}" for i in range(60)]
    table = read(written("\n".join(["x,age", *(f"{i % 7}.5,{cell}" for i, cell in enumerate(cells))])))
    assert table.kinds["age"] == "numeric"
    assert np.isnan(table.columns["age"]).sum() == int(share * 60)
    assert table.notes == (f"{int(share * 60)} cells {gap.strip()!r} among the numbers of 'age' are read as missing",)


def test_gaps_of_several_columns_are_one_note_and_empty_cells_none(written):
    rows = [f"{'-' if i % 2 else i / 3},{'N/A' if i % 3 else i / 7},{'' if i % 5 else i / 9}" for i in range(60)]
    notes = read(written("\n".join(["a,b,c", *rows]))).notes
    assert notes == ("70 cells 'N/A', '-' among the numbers of 'a', 'b' are read as missing",)


def test_gaps_are_understood_where_the_kind_is_given_and_in_json(written):
    table = read(written("a,b\n-,1\n-,2\n"), kinds={"a": "numeric"})
    assert np.isnan(table.columns["a"]).all()
    table = read(written('{"a": 1.5}\n{"a": "N/A"}\n{"a": "-"}\n', "data.jsonl"))
    assert_array_equal(table.columns["a"], [1.5, np.nan, np.nan])


def test_a_slip_beside_gaps_is_still_named(written):
    rows = ["-" if i % 2 else str(20 + i) for i in range(40)]
    rows[15], rows[16] = "-", "abc"
    assert "line 18, column 'age': expected a number, got 'abc'" in fault(written("\n".join(["age", *rows])))


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("1,2\n3,4\n", ["x0", "x1"]),
        ("5.1,setosa\n4.9,setosa\n", ["x0", "x1"]),
        ("ham\tgo home now\nspam\twin a prize\nham\tsee you then\n", ["x0", "x1"]),
        ("label\ttext\nham\tgo home now\nham\tsee you\n", ["label", "text"]),
        ("country,2001,2002\n", None),
        (",a\n0,1\n1,5\n", ["Unnamed: 0", "a"]),
        ("only\n1\n2\n", ["only"]),
    ],
)
def test_a_header_is_told_from_a_row(written, content, names):
    if names is None:
        assert list(read(written(content + "1,2,3\n"), header=True).columns) == ["country", "2001", "2002"]
    else:
        assert list(read(written(content)).columns) == names


def test_a_bad_number_is_named_by_line_and_column(written):
    rows = [f"{20 + i},{i % 3}" for i in range(40)]
    rows[15] = "abc,1"
    message = fault(written("\n".join(["age,code", *rows])))
    assert "data.csv: line 17, column 'age': expected a number, got 'abc'" in message
    as_text = read(written("\n".join(["age,code", *rows])), kinds={"age": "categorical"})
    assert as_text.columns["age"][15] == "abc"


def test_lines_are_those_of_the_file_also_after_fields_of_several_lines(written):
    rows = [f'{i},"two\nlines {i}"' for i in range(30)]
    rows[20] = 'oops,"two\nlines"'
    assert "line 42, column 'n'" in fault(written("\n".join(["n,text", *rows])))


def test_some_names_among_few_codes_are_categories(written):
    table = read(written("kids\n" + "0\n1\n2\n" * 20 + "3+\n"))
    assert table.kinds == {"kids": "categorical"}


def test_whole_numbers_with_few_values_stay_numeric(written):
    assert read(written("code,x\n" + "1,a\n2,b\n" * 9)).kinds["code"] == "numeric"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "empty file"),
        ("\n\n", "empty file"),
        ("a,b\n", "the header only"),
        ("a,a\n1,2\n", "line 1: expected a different name for every column, got 'a' twice"),
        ("a,b\n1,2\n3\n", "line 3: expected 2 fields between ',', got 1"),
        ("a,b\n1,2\n3,4,5\n", "line 3: expected 2 fields between ',', got 3"),
        (b"a,b\n1,\x002\n", "line 2: expected text, got a NUL byte"),
        (b"a,b\n1,caf\xe9\n", "line 2: expected text in UTF-8, got the byte 0xe9"),
        ("a,b\n1,2\n".encode("utf-16"), "got UTF-16"),
        ('a,b\n1,"open\n2,3\n', "line 2: expected a row of fields"),
        ("a,b\n1," + "x" * 200_000 + "\n", "field larger than field limit"),
        ("a,b\n1,inf\n2,3\n", "line 2, column 'b': expected a number, got 'inf'"),
        ("a,b\n1,1e999\n2,3\n", "line 2, column 'b'"),
    ],
)
def test_faults_of_csv(written, content, expected):
    message = fault(written(content))
    assert expected in message
    assert "data.csv" in message


def test_unknown_options_are_refused(written):
    path = written(PEOPLE)
    with pytest.raises(ValueError, match="format must be one of"):
        read(path, format="xls")
    with pytest.raises(ValueError, match="kind of 'age' must be one of"):
        read(path, kinds={"age": "number"})
    with pytest.raises(OSError, match="nowhere"):
        read("nowhere.csv")


def test_compressed_text(written):
    table = read(written(gzip.compress(PEOPLE.encode()), "people.csv.gz"))
    assert list(table.columns) == ["age", "job", "note"]
    assert "cannot be unpacked" in fault(written(gzip.compress(PEOPLE.encode())[:30], "people.csv.gz"))


def test_a_small_file_that_unpacks_to_a_huge_one_stops_at_the_memory_budget(written):
    path = written(gzip.compress(b"1,2\n" * 10**6), "bomb.csv.gz")
    with mercer.configure(memory=10**6):
        assert "memory budget of 1000000 bytes" in fault(path)


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (PEOPLE.encode(), ["age", "job", "note"]),
        (b'{"a": 1, "b": "u"}\n{"a": null}\n', ["a", "b"]),
        (b"1 1:0.5 3:2\n-1 2:1\n", ["target"]),
        (gzip.compress(b"u\tv\n1\t2\n", mtime=0), ["u", "v"]),
    ],
)
def test_standard_input_is_looked_at(monkeypatch, content, columns):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    table = read("-")
    assert table.name == "standard input"
    assert list(table.columns) == columns


def test_json_lines(written):
    table = read(written('{"n": 1.5, "s": "u", "b": true}\n\n{"n": null, "b": false}\n', "data.jsonl"))
    assert table.kinds == {"n": "numeric", "s": "categorical", "b": "categorical"}
    assert_array_equal(table.columns["n"], [1.5, np.nan])
    assert table.columns["s"].tolist() == ["u", None]
    assert table.columns["b"].tolist() == ["true", "false"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "no values"),
        ('{"a": 1}\n[1]\n', "line 2: expected a JSON object"),
        ('{"a": 1}\n{"a": }\n', "line 2: expected a JSON object"),
        ('{"a": [1]}\n', "line 1, column 'a': expected a number, a string"),
        ('{"a": 1, "a": 2}\n', "line 1: expected each key once"),
        ('{"a": ' + "[" * 100_000 + "\n", "line 1: expected a JSON object"),
        ('{"a": ' + "9" * 10_000 + "}\n", "line 1"),
        ('{"a": 1e999}\n{"a": 1}\n', "line 1, column 'a': expected a number, got inf"),
    ],
)
def test_faults_of_json_lines(written, content, expected):
    assert expected in fault(written(content, "data.jsonl"))


ARRAYS = [
    '[{"n": 1.5, "s": "u"},\n {"n": null}]\n',
    '[\n  {\n    "n": 1.5,\n    "s": "u"\n  },\n  {\n    "n": null\n  }\n]\n',
    ' \n[{"n":1.5,"s":"u"},{"n":null}]',
]


@pytest.mark.parametrize("content", ARRAYS)
@pytest.mark.parametrize("name", ["data.json", "data.jsonl", "data"])
def test_a_json_array_of_objects_is_a_table(written, content, name):
    table = read(written(content, name))
    assert table.kinds == {"n": "numeric", "s": "categorical"}
    assert_array_equal(table.columns["n"], [1.5, np.nan])
    assert table.columns["s"].tolist() == ["u", None]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[]", "got no values"),
        ("[1, 2]", "line 1: expected a JSON object, got '1'"),
        ('[{"a": 1},\n{"a": [1]}]', "line 2, column 'a': expected a number, a string"),
        ('[{"a": 1},\n\n{"a": }]', "line 3: expected a JSON object"),
        ('[{"a": 1}\n {"a": 2}]', "line 2: expected a comma or the end of the array"),
        ('[{"a": 1},\n', "line 2: expected a JSON object, got the end of the file"),
        ('[{"a": 1}]\n[{"a": 2}]', "line 2: expected nothing after the array"),
        ('[{"a": 1},\n{"a": 1, "a": 2}]', "line 2: expected each key once"),
        ('{"a": {"0": 1, "1": 2}}', "orient='records'"),
        ('{"a": 1} {"a": 2}', "line 1: expected a JSON object and no more"),
        ("[" * 100_000, "line 1: expected a JSON object"),
    ],
)
def test_faults_of_json(written, content, expected):
    assert expected in fault(written(content, "data.json"))


# ---- tables in memory


def test_a_data_frame_is_a_table(written):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({
        "n": [1.5, None, 3.0], "s": ["u", None, "N/A"], "b": [True, False, True], "i": [1, 2, 3],
        "d": pd.to_datetime(["2020-01-01", None, "2020-01-03"]), "c": pd.Categorical(["x", "y", None]),
        7: ["1", "-", "3"],
    })  # fmt: skip
    table = read(frame)
    assert table.name == "DataFrame"
    assert [table.kinds[name] for name in ("n", "s", "b", "i", "d", "c", "7")] == [
        "numeric", "categorical", "categorical", "numeric", "categorical", "categorical", "numeric",
    ]  # fmt: skip
    assert_array_equal(table.columns["n"], [1.5, np.nan, 3.0])
    assert table.columns["s"].tolist() == ["u", None, None]
    assert table.columns["b"].tolist() == ["true", "false", "true"]
    assert table.columns["c"].tolist() == ["x", "y", None]
    assert_array_equal(table.columns["7"], [1.0, np.nan, 3.0])


def test_a_frame_gives_what_its_file_gives(written):
    pd = pytest.importorskip("pandas")
    path = written(PEOPLE)
    one, two = read(path), read(pd.read_csv(path))
    assert one.kinds == two.kinds
    for name in one.columns:
        assert_array_equal(one.columns[name], two.columns[name])
    assert read({"a": [1, 2], "b": ["u", "v"]}).kinds == {"a": "numeric", "b": "categorical"}


def test_faults_of_tables_in_memory():
    pd = pytest.importorskip("pandas")
    with pytest.raises(TableError, match=r"DataFrame: row 1, column 'a': expected a number, a string.*got \[2\]"):
        read(pd.DataFrame({"a": [1.0, [2]]}))
    with pytest.raises(TableError, match="DataFrame: expected a table, got no rows"):
        read(pd.DataFrame({"a": []}))
    with pytest.raises(
        TableError, match="DataFrame: the columns: expected a different name for every column, got '1' twice"
    ):
        read(pd.DataFrame({1: [1.0], "1": [2.0]}))


@pytest.mark.parametrize(
    "source", [np.eye(2), [[1.0]], None, 3, b"data.csv", io.StringIO("a,b")], ids=lambda s: type(s).__name__
)
def test_what_is_no_source_is_a_clear_type_error(source):
    with pytest.raises(TypeError, match=rf"read: source must be a path, .* got {type(source).__name__}\."):
        read(source)


def test_svmlight_is_one_set_of_sparse_rows(written):
    table = read(written("# made by hand\n+1 1:0.5 3:2 # first\n-1 qid:3 2:1\n+1\n", "data.svm"))
    assert_array_equal(table.items.toarray(), [[0, 0.5, 0, 2], [0, 0, 1, 0], [0, 0, 0, 0]])
    features, y, task = table.split_target()
    assert (y.tolist(), task, len(features)) == ([1, -1, 1], "classification", 3)
    assert features.take(np.array([2, 0])).items.toarray().tolist() == [[0, 0, 0, 0], [0, 0.5, 0, 2]]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "no values"),
        ("1 1:2\nx 1:2\n", "line 2, label: expected a number, got 'x'"),
        ("1 1:2\n1 3:y\n", "line 2, index 3: expected a number, got 'y'"),
        ("1 1:2 1:3\n", "line 1: expected each index once"),
        ("1 -1:2\n", "line 1: expected index:value"),
        ("1 99999999999:2\n", "line 1: expected index:value"),
    ],
)
def test_faults_of_svmlight(written, content, expected):
    assert expected in fault(written(content, "data.svmlight"))


def test_parquet(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"n": [1, None, 3], "s": ["u", None, "w"], "b": [True, False, None]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    table = read(tmp_path / "t.parquet")
    assert table.kinds == {"n": "numeric", "s": "categorical", "b": "categorical"}
    assert table.columns["b"].tolist() == ["true", "false", None]
    parquet.write_table(pyarrow.table({"l": [[1], [2]]}), tmp_path / "lists.parquet")
    assert "column 'l': expected numbers" in fault(tmp_path / "lists.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "t.parquet").read_bytes()[:100])
    assert "expected a Parquet file" in fault(tmp_path / "cut.parquet")


def test_parquet_without_pyarrow_says_what_to_install(written, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install pyarrow" in fault(written(b"PAR1", "t.parquet"))


word = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\x85\u2028\u2029"), max_size=12)


@settings(max_examples=60, deadline=None)
@given(
    numbers=st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=2, max_size=30),
    words=st.data(),
    delimiter=st.sampled_from(",;\t|"),
)
def test_a_written_table_reads_back(tmp_path_factory, numbers, words, delimiter):
    labels = [words.draw(word) for _ in numbers]
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter)
    writer.writerow(["the number", "the word", "row"])
    for i, (number, label) in enumerate(zip(numbers, labels, strict=True)):
        writer.writerow(["" if number is None else repr(number), label, f"r{i}"])
    path = tmp_path_factory.mktemp("round") / "t.csv"
    path.write_bytes(buffer.getvalue().encode())
    table = read(path, header=True, kinds={"the word": "categorical"})
    assert_array_equal(table.columns["the number"], [np.nan if x is None else x for x in numbers])
    assert table.columns["the word"].tolist() == [None if w.strip().lower() in MISSING else w for w in labels]


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=200), form=st.sampled_from([None, "csv", "tsv", "jsonl", "svmlight"]))
def test_random_bytes_are_a_table_or_our_error(tmp_path_factory, content, form):
    path = tmp_path_factory.getbasetemp() / "bytes.dat"
    path.write_bytes(content)
    with suppress(TableError):
        assert len(read(path, format=form)) > 0

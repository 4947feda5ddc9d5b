"""The report: one page that stands alone, says what the comparison found, and cannot be abused by the data in it."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import mercer
from mercer import report
from mercer.kernels import Spectrum
from mercer.report.compact_svg import Sheet
from mercer.report.method_table import COLUMNS
from mercer.tables import Table

rng = np.random.default_rng(0)
n = 80
X = rng.normal(size=(n, 2))
HOSTILE = "<script>alert(1)</script>"
EVIL = "a\"'><img src=x onerror=alert(2)> $\\frac{1}{0}$ {{ 7 * 7 }}"
VOID = {"meta", "br", "img", "link", "input", "hr"}


def table(y, kind, names=("a", "b"), name="test.csv"):
    columns = dict(zip(names, X.T, strict=True)) | {"y": y}
    return Table(name, columns, dict.fromkeys(names, "numeric") | {"y": kind})


labels = np.where(X[:, 0] * X[:, 1] > 0.0, HOSTILE, "plain $x$").astype(object)
numbers = np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)
METHODS = {"classification": ["rvm", "svm", "svm + platt", "gp", "lda", "dummy"],
           "regression": ["rvm", "svm", "gp", "ridge", "least squares", "dummy"]}  # fmt: skip


class Page(HTMLParser):
    """Elements, their attributes and texts; fails where elements are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts, self.ids, self.links = [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.elements.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []
        self.links += [v for k, v in attrs if k in ("href", "src", "xlink:href", "srcset", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def count(self, tag):
        return sum(name == tag for name, _ in self.elements)


def tuned(data, target="y", **options):
    return mercer.compare(data, target, tune=True, **options)


def written(found, folder):
    path = report.write(found, folder / "page.html")
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.fixture(scope="module", params=["classification", "regression"])
def found(request):
    names = (HOSTILE, EVIL)
    data = (
        table(labels, "categorical", names) if request.param == "classification" else table(numbers, "numeric", names)
    )
    return tuned(data, "y", methods=METHODS[request.param])


@pytest.fixture(scope="module")
def text(found, tmp_path_factory):
    return written(found, tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


# ---- the page as such


def test_it_parses_and_every_element_is_closed(page):
    assert (page.count("html"), page.count("h1"), page.count("main")) == (1, 1, 1)


def test_it_needs_nothing_else(text, page):
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in page.links)
    assert page.count("script") == page.count("link") == page.count("iframe") == 0
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    assert len(text.encode()) < 1_500_000


def test_data_of_strangers_are_text_and_nothing_else(text, page):
    assert "<script" not in text
    assert "<img" not in text
    assert "onerror" not in {key for _, given in page.elements for key in given}
    assert "".join(page.texts).count(HOSTILE) >= 1
    assert "{{ 7 * 7 }}" in "".join(page.texts)


def test_names_are_unique_and_links_lead_somewhere(page):
    assert len(set(page.ids)) == len(page.ids)
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_pictures_have_captions_and_words_for_those_who_cannot_see_them(page):
    drawings = [given for tag, given in page.elements if tag == "svg"]
    assert len(drawings) == page.count("figcaption") == page.count("figure") >= 7
    assert all(given["role"] == "img" and given["aria-label"] for given in drawings)


def test_light_dark_phone_and_paper_are_provided_for(text):
    for rule in ("prefers-color-scheme: dark", "@media print", "max-width: 30rem", "width=device-width"):
        assert rule in text
    assert "var(--ink)" in text
    assert "#1b1f24" not in text.split("</style>", 1)[1]  # no ink that would be dark on dark


# ---- what it says


def test_every_method_has_its_row_and_the_numbers_of_the_comparison(found, text):
    body = text.split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    rows = dict(re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', body, re.DOTALL))
    assert list(rows) == [row.name for row in found]
    for row in found:
        cells = re.findall(r"<td(?: class=\"best\")?>(.*?)</td>", rows[row.name])
        for cell, column in zip(cells, COLUMNS, strict=True):
            value = getattr(row, column.key)
            assert cell == ("−" if value is None else format(value, column.form).replace("-", "−"))


def test_the_best_of_a_column_is_marked(found):
    scores = [line.cells[0].best for line in report.collect(found).lines]
    first = {row.name for row in (found.best, *found.tied)} - {"dummy"}
    assert scores == [row.name in first for row in found]


def test_sections_that_were_asked_for_are_there(found, page):
    common = {"methods", "kernel", "vectors", "sensitivity", "proofs", "data", "errors", "probabilities"}
    assert common <= set(page.ids)
    assert ("boundaries" in page.ids) == (found.sample.task == "classification")


def test_certificates_are_told_in_full(found, page):
    told = " ".join(" ".join(page.texts).split())
    for row in found:
        if row.certificate:
            assert " ".join(row.certificate.split()) in told
    assert "positive semi-definite by construction" in told


def test_the_command_that_repeats_it_is_shown_if_there_was_one(page, tmp_path):
    found, words = tuned(table(numbers, "numeric"), methods=["dummy"]), ["mercer", "compare", "a b.csv"]
    first, second = report.collect(found, words).commands
    assert first == "mercer compare 'a b.csv'"
    assert second == f"{first} --kernel '{found.sample.kernel!r}'"
    assert "again" not in page.ids
    with open(report.write(found, tmp_path / "page.html", words), encoding="utf-8") as file:
        assert "again" in Page(file.read()).ids


def test_untuned_comparisons_have_no_report():
    found = mercer.compare(X, labels, methods=["svm"])
    with pytest.raises(ValueError, match="must be a tuned one"):
        report.collect(found)


def test_items_that_are_no_table_have_a_page(tmp_path):
    words = ["".join(rng.choice(list("abcd"[c : c + 2]), size=9)) for c in np.arange(60) % 3]
    page = Page(written(tuned(words, np.arange(60) % 3, kernel=Spectrum(2), methods=["svm", "dummy"]), tmp_path))
    assert {"kernel", "vectors", "sensitivity", "proofs"} <= set(page.ids)


def test_the_answer_names_the_best_and_what_is_as_good(found):
    first = report.collect(found).answer[0]
    assert found.best.name in first
    assert f"{found.best.score:.3f}" in first


def test_one_row_held_out_is_not_called_a_win(found):
    """Scores of 1 and of 1 minus one row: the binomial error of the first is zero, and hid the tie."""
    best, *others = found.rows
    size = len(found.sample.test)
    losses = [np.zeros(size), np.eye(size)[0], np.ones(size)]
    told = [
        replace(row, score=1.0 - loss.mean(), losses=loss)
        for row, loss in zip([best, *others[:2]], losses, strict=True)
    ]
    changed = replace(found, rows=tuple(told))
    said = report.collect(changed).answer
    assert said[0].startswith(f"{best.name} has the highest ")
    assert said[1].startswith(f"On these rows {others[0].name} is as good within chance")


def test_methods_that_learnt_from_fewer_rows_are_excused():
    found = tuned(table(numbers, "numeric"), methods=["ridge", "rvm"])
    assert found.best.name == "ridge"
    fewer = tuple(replace(row, n_train=20) if row.name == "rvm" else row for row in found.rows)
    found = replace(found, rows=fewer)
    assert "rvm learned from fewer rows than ridge, which is a disadvantage." in report.collect(found).answer


def test_the_same_comparison_gives_the_same_bytes(found, text, tmp_path):
    assert written(found, tmp_path) == text


# ---- odd comparisons


def test_failures_are_told(tmp_path):
    twice = Table(
        "twice", {"a": X[:, 0], "b": X[:, 0], "y": labels}, {"a": "numeric", "b": "numeric", "y": "categorical"}
    )
    text = written(tuned(twice, "y", methods=["qda", "dummy"]), tmp_path)
    assert "failed: LinAlgError" in text
    Page(text)


def test_many_classes_and_texts_have_a_page(tmp_path):
    y = np.array([f"class {i % 9}" for i in range(n)], dtype=object)
    words = np.array([f"word{i % 9} {i}" for i in range(n)], dtype=object)
    data = Table("texts", {"t": words, "y": y}, {"t": "text", "y": "categorical"})
    page = Page(written(tuned(data, "y", methods=["svm", "svm + platt", "lda"]), tmp_path))
    assert {"errors", "kernel", "probabilities"} <= set(page.ids)


def test_wide_tables_show_some_of_their_columns(tmp_path):
    V = rng.normal(size=(30, 70))
    data = Table(
        "wide",
        {f"x{j}": V[:, j] for j in range(70)} | {"y": V[:, 0]},
        {f"x{j}": "numeric" for j in range(70)} | {"y": "numeric"},
    )
    assert "and 10 more columns" in written(tuned(data, "y", methods=["ridge"]), tmp_path)


def test_a_page_that_cannot_be_written_leaves_what_was_there(tmp_path, monkeypatch):
    found = tuned(table(numbers, "numeric"), methods=["dummy"])
    path = tmp_path / "page.html"
    path.write_text("before")
    monkeypatch.setattr("os.replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report.write(found, path)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["before"]


def test_drawings_keep_their_meaning_when_made_small():
    drawn = (
        '<svg style="width:100%"><defs><path id="p1" d="M 1.23456 -0.0156250"/></defs>\n'
        '<g id="unused"><use xlink:href="#p1" style="fill: red"/></g><g clip-path="url(#p1)" style="fill: red"/></svg>'
    )
    small = (
        '<svg style="width:100%"><defs><path id="n1" d="M 1.23 -0.01562"/></defs>'
        '<g><use xlink:href="#n1" class="s0"/></g><g clip-path="url(#n1)" class="s0"/></svg>'
    )
    sheet = Sheet()
    assert sheet.drawing(drawn) == small
    assert 'id="n2"' in sheet.drawing(drawn)
    assert sheet.css() == ".s0{fill: red}"

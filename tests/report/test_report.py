"""The report: one page that stands alone, says what the study found, and cannot be abused by the data in it."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from mercer import report, study
from mercer.report.compact import Sheet
from mercer.report.lines import COLUMNS
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
    return study.run(data, "y", methods=METHODS[request.param])


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
    assert list(rows) == [row.name for row in found.comparison]
    for row in found.comparison:
        cells = re.findall(r"<td(?: class=\"best\")?>(.*?)</td>", rows[row.name])
        for cell, (_, _, name, form, _) in zip(cells, COLUMNS, strict=True):
            value = getattr(row, name)
            assert cell == ("–" if value is None else format(value, form).replace("-", "−"))


def test_the_best_of_a_column_is_marked(found):
    scores = [line.cells[0].best for line in report.collect(found).lines]
    first = {row.name for row in (found.comparison.best, *found.comparison.tied)} - {"dummy"}
    assert scores == [row.name in first for row in found.comparison]


def test_sections_that_were_asked_for_are_there(found, page):
    common = {"methods", "kernel", "vectors", "sensitivity", "proofs", "data", "again", "errors", "probabilities"}
    assert common <= set(page.ids)
    assert ("boundaries" in page.ids) == (found.sample.task == "classification")


def test_certificates_are_told_in_full(found, page):
    told = " ".join(" ".join(page.texts).split())
    for row in found.comparison:
        if row.certificate:
            assert " ".join(row.certificate.split()) in told
    assert "positive semi-definite by construction" in told


def test_commands_say_how_to_have_it_again(found):
    commands = report.collect(found).commands
    assert commands[0].startswith("mercer compare test.csv --target y --methods ")
    assert commands[1] == f"{commands[0]} --kernel '{found.sample.kernel!r}'"


def test_the_answer_names_the_best_and_what_is_as_good(found):
    first = report.collect(found).answer[0]
    assert found.comparison.best.name in first
    assert f"{found.comparison.best.score:.3f}" in first


def test_one_row_held_out_is_not_called_a_win(found):
    """Scores of 1 and of 1 minus one row: the binomial error of the first is zero, and hid the tie."""
    best, *others = found.comparison.rows
    size = len(found.sample.test)
    losses = [np.zeros(size), np.eye(size)[0], np.ones(size)]
    told = [
        replace(row, score=1.0 - loss.mean(), losses=loss)
        for row, loss in zip([best, *others[:2]], losses, strict=True)
    ]
    study_ = replace(found, comparison=replace(found.comparison, rows=tuple(told)))
    said = report.collect(study_).answer
    assert said[0].startswith(f"{best.name} has the highest ")
    assert said[1].startswith(f"These rows do not tell {others[0].name} from it")


def test_methods_that_learnt_from_fewer_rows_are_excused(monkeypatch):
    from mercer.study import tuning

    plans = tuning.PLANS["regression"]
    monkeypatch.setitem(plans, "rvm", replace(plans["rvm"], most=20))
    found = study.run(table(numbers, "numeric"), "y", methods=["ridge", "rvm"])
    assert found.comparison.best.name == "ridge"
    assert "rvm learnt from fewer rows than ridge, which counts against it." in report.collect(found).answer


def test_the_same_study_gives_the_same_bytes(found, text, tmp_path):
    assert written(found, tmp_path) == text


# ---- odd studies


def test_failures_are_told(tmp_path):
    twice = Table(
        "twice", {"a": X[:, 0], "b": X[:, 0], "y": labels}, {"a": "numeric", "b": "numeric", "y": "categorical"}
    )
    text = written(study.run(twice, "y", methods=["qda", "dummy"]), tmp_path)
    assert "failed: LinAlgError" in text
    Page(text)


def test_many_classes_and_texts_have_a_page(tmp_path):
    y = np.array([f"class {i % 9}" for i in range(n)], dtype=object)
    words = np.array([f"word{i % 9} {i}" for i in range(n)], dtype=object)
    data = Table("texts", {"t": words, "y": y}, {"t": "text", "y": "categorical"})
    page = Page(written(study.run(data, "y", methods=["svm", "svm + platt", "lda"]), tmp_path))
    assert {"errors", "kernel", "probabilities"} <= set(page.ids)


def test_wide_tables_show_some_of_their_columns(tmp_path):
    V = rng.normal(size=(30, 70))
    data = Table(
        "wide",
        {f"x{j}": V[:, j] for j in range(70)} | {"y": V[:, 0]},
        {f"x{j}": "numeric" for j in range(70)} | {"y": "numeric"},
    )
    assert "and 10 more columns" in written(study.run(data, "y", methods=["ridge"]), tmp_path)


def test_a_page_that_cannot_be_written_leaves_what_was_there(tmp_path, monkeypatch):
    found = study.run(table(numbers, "numeric"), "y", methods=["dummy"])
    path = tmp_path / "page.html"
    path.write_text("before")
    monkeypatch.setattr("os.replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report.write(found, path)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["before"]


def test_the_built_in_table_is_not_named_as_a_file():
    from mercer.study.builtin import mixture

    found = study.run(mixture(), methods=["lda"], max_rows=60)
    assert report.collect(found).commands[0] == "mercer compare --methods lda --rows 60"
    assert report.collect(replace(found, asked=())).commands[0] == "mercer compare"


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

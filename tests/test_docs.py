"""The documentation is true: examples run and print what is shown, links lead somewhere, no public name is left out."""

import html.parser
import importlib.util
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.tables import all_tables
from docs.examples import agree, blocks, played

import mercer

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
WITH_EXAMPLES = [page for page in PAGES if blocks(page)]

needs_mkdocs = pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="mkdocs is not installed")


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_examples_run_and_print_what_the_page_shows(page, tmp_path):
    for block, printed in played(page, tmp_path):
        assert block.shown is None or agree(block.shown, printed), f"\n{block.code}\nprints\n{printed}"


def test_there_are_examples_on_every_tutorial():
    tutorials = [page for page in PAGES if page.parent.name == "tutorials"]
    assert len(tutorials) >= 11
    assert set(tutorials) <= set(WITH_EXAMPLES)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("accuracy 0.95\n", "accuracy 0.951\n", True),
        ("accuracy 0.95\n", "accuracy 0.75\n", False),
        ("7 kept", "6 kept", True),
        ("7 kept", "5 kept", False),
        ("gap 3.1e-05", "gap 8.9e-07", True),
        ("gap 3.1e-05", "gap 0.2", False),
        ("after ... steps: converged", "after 1234 steps: converged", True),
        ("after ... steps: converged", "after 1234 steps: max_iter", False),
        ("alpha 0.3, ... kept", "alpha 9.0, 7 kept", False),
        ("True\nFalse", "True", False),
        ("", "words", False),
    ],
)
def test_what_a_reader_takes_for_the_same_output(shown, printed, same):
    assert agree(shown, printed) is same


# ---- the site


class Page(html.parser.HTMLParser):
    """The ids of a page, where it links to, and what a browser would load with it."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids |= {attrs["id"]} if "id" in attrs else set()
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        if tag in ("script", "img", "source", "iframe") and attrs.get("src"):
            self.loaded.append(attrs["src"])
        if tag == "link" and attrs.get("rel") in ("stylesheet", "preload", "icon", "preconnect"):
            self.loaded.append(attrs["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages of a strict build, by path."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {path.relative_to(folder): path.read_text(encoding="utf8") for path in folder.rglob("*.html")}


@needs_mkdocs
def test_links_within_the_site_lead_somewhere(site):
    pages = {path: Page(text) for path, text in site.items() if path.name != "404.html"}
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            place = path if not target else Path(*_resolved(path.parent / target))
            assert place in pages, f"{path} links to {link}"
            assert not anchor or anchor in pages[place].ids, f"{path} links to {link}"


def _resolved(path):
    parts = []
    for part in path.parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return parts or ["."]


@needs_mkdocs
def test_pages_load_nothing_from_elsewhere(site):
    for path, text in site.items():
        assert not [url for url in Page(text).loaded if re.match(r"(https?:)?//", url)], path


@needs_mkdocs
def test_formulas_are_mathml_and_no_tex_is_left(site):
    text = site[Path("maths/svm.html")]
    assert text.count("<math") > 20
    for path, page in site.items():
        assert 'class="arithmatex"' not in page, path
        assert "$$" not in re.sub(r"<(script|code|pre).*?</\1>", "", page, flags=re.DOTALL), path


@needs_mkdocs
def test_every_public_name_is_in_the_reference(site):
    reference = "".join(text for path, text in site.items() if path.parent.name == "reference")
    inner = [f"kernels.{name}" for name in mercer.kernels.__all__ if name not in mercer.__all__]
    for name in [*mercer.__all__, *inner]:
        if name != "__version__" and not inspect.ismodule(getattr(mercer, name, None)):
            assert f'id="mercer.{name}"' in reference, name


@needs_mkdocs
def test_the_pages_do_not_cite_the_list_of_requirements(site):
    for path, text in site.items():
        words = re.sub(r"<math.*?</math>|<[^>]*>", " ", text, flags=re.DOTALL)
        assert not re.findall(r"\((?:[AECIKMT]\d{1,2}(?:, )?)+\)", words), path


@pytest.mark.parametrize("name", [name for name in mercer.__all__ if name != "__version__"])
def test_every_public_name_has_a_docstring_that_begins_with_a_sentence(name):
    first = (inspect.getdoc(getattr(mercer, name)) or "").split("\n\n")[0].strip()
    assert len(first) > 15
    assert first[-1] in ".:"


# ---- the tables of benchmarks


def test_tables_are_made_of_results_and_without_them_there_is_a_sentence(tmp_path):
    assert "No results" in all_tables(tmp_path)
    row = {
        "suite": "svm", "case": "letter", "size": 10, "rival": "scikit-learn", "ours_s": 0.5, "rival_s": 2.0,
        "ratio": 4.0, "cpu_ratio": 3.0, "same": True, "detail": "", "floor_s": None, "times_floor": None,
        "extra_bytes": 2_000_000, "rival_bytes": None, "versions": {"mercer": "0.1"},
        "machine": "a machine, 2 cores", "threads": 2,
    }  # fmt: skip
    (tmp_path / "svm.json").write_text(json.dumps([row, row | {"case": "a9a", "ratio": 1.0, "same": False}]))
    text = all_tables(tmp_path)
    assert "**2.0 times faster** (2 cases; worst 1)" in text
    assert "a machine, 2 cores" in text
    assert "| svm letter | scikit-learn | 0.5 | 2 | 4 | 2 | yes |" in text
    assert "x floor" not in text
    assert "**no**" in text


def test_places_that_the_page_on_architecture_names_exist():
    named = re.findall(
        r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|\.cpp|\.md|/))`", (ROOT / "docs" / "architecture.md").read_text("utf8")
    )
    assert len(named) > 20
    roots = (ROOT, ROOT / "src" / "mercer", ROOT / "docs")
    assert [place for place in named if not any((root / place).exists() for root in roots)] == []

"""Kernels from text: what is written is read, what is not a kernel is refused, and nothing is ever executed."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mercer.kernels import (
    RBF,
    Bounded,
    Centred,
    Constant,
    Exp,
    Fixed,
    Kernel,
    Linear,
    Matern,
    Modulated,
    Negated,
    Normalised,
    Polynomial,
    PolynomialOf,
    Power,
    Product,
    Pullback,
    Scaled,
    Sum,
    parse,
)
from mercer.kernels.grammar import LONGEST, vocabulary
from mercer.testing.strategies import expressions

HOUSE_FORM = re.compile(r".+ must be .+; got .+\. .+", re.DOTALL)  # fault, value, cure

a, b, c = RBF(), Linear(), Matern()

EXPRESSIONS = {
    "2*RBF(1.5) + Linear()**2": 2.0 * RBF(1.5) + Linear() ** 2,
    "RBF(1.5) / 4": 0.25 * RBF(1.5),
    "(RBF() + Linear()) / 2": 0.5 * (RBF() + Linear()),
    "Linear() ** 65": Power(Linear(), 65),
    "  RBF( lengthscale = [1, 2.5] )\n": RBF((1.0, 2.5)),
    "RBF((1.0, inf))": RBF((1.0, np.inf)),
    "Matern(nu=inf)": Matern(nu=np.inf),
    "RBF(Fixed(2)) * Bounded(1, 0.5, 2)": Bounded(1, 0.5, 2) * RBF(Fixed(2)),
    "RBF() + 1": RBF() + Constant(1.0),
    "1 - RBF()": Constant(1.0) - RBF(),
    "-RBF() ** 2": Negated(Power(RBF(), 2)),
    "(-RBF()) ** 2": Power(Negated(RBF()), 2),
    "RBF() - (Linear() - Matern())": a - (b - c),
    "RBF() - Linear() - Matern()": a - b - c,
    "(RBF() + Linear()) * Matern()": (a + b) * c,
    "RBF() + Linear() * Matern()": a + b * c,
    "2 * (3 * RBF())": Scaled(Scaled(a, 3.0), 2.0),
    "2 * RBF() * Linear()": Product((Scaled(a, 2.0), b)),
    "2 * (RBF() * Linear())": Scaled(Product((a, b)), 2.0),
    "RBF() * (2 * Linear())": Product((a, Scaled(b, 2.0))),
    "Sum([RBF(), Linear() + Matern()])": Sum((a, b, c)),
    "PolynomialOf(Linear(), [1, 0, 2])": PolynomialOf(b, (1.0, 0.0, 2.0)),
    "Normalised(Exp(0.5 * Centred(RBF())))": Normalised(Exp(0.5 * Centred(a))),
    "Polynomial(2, offset=-1.0)": Polynomial(2, offset=-1.0),
    "Polynomial(degree=1_000)": Polynomial(1000),
}


@pytest.mark.parametrize(("text", "k"), EXPRESSIONS.items(), ids=list(EXPRESSIONS))
def test_text_is_read_as_python_would_read_it(text, k):
    assert parse(text) == k
    assert eval(text, {**vocabulary(), "inf": np.inf}) == k  # the text is ours


@pytest.mark.parametrize("k", EXPRESSIONS.values(), ids=list(EXPRESSIONS))
def test_what_is_printed_reads_back(k):
    assert parse(repr(k)) == k


@pytest.mark.parametrize("exponent", [0, 64, 65, 1000, 10**30])
def test_every_exponent_that_a_kernel_may_have_reads_back(exponent):
    k = 2.0 * (Linear() ** exponent) + RBF() ** exponent
    assert parse(repr(k)) == k


def test_a_kernel_says_its_lengthscale_also_where_it_is_the_default():
    kernels = [RBF(1.0), RBF(), 2.0 * Matern(), Constant(), Polynomial(), Linear()]
    shown = ["RBF(1.0)", "RBF(1.0)", "2.0 * Matern(1.0)", "Constant(1.0)", "Polynomial()", "Linear()"]
    assert [repr(k) for k in kernels] == shown
    assert [parse(text) for text in shown] == kernels


def test_numbers_of_numpy_print_as_numbers():
    kernels = [RBF(np.float32(0.5)), Linear() ** np.int64(3), Matern(nu=np.float64(2.5)), Polynomial(np.int32(2))]
    assert [repr(k) for k in kernels] == ["RBF(0.5)", "Linear() ** 3", "Matern(1.0, nu=2.5)", "Polynomial(2)"]


def test_the_vocabulary_is_the_public_kernels_and_the_marks():
    words = vocabulary()
    assert {"RBF", "Linear", "Sum", "Centred", "Fixed", "Bounded"} <= set(words)
    assert not {"Pullback", "Modulated", "Fitted", "Kernel", "kernel", "parse", "rank_one"} & set(words)


def test_kernels_that_hold_a_function_say_that_they_cannot_be_written_down():
    for k in (Pullback(RBF(), abs), Modulated(RBF(), len), 2.0 * Pullback(RBF(), abs) + Linear()):
        assert not k.textual
        with pytest.raises(ValueError, match=HOUSE_FORM):
            parse(repr(k))


REFUSED = {
    "": "a kernel expression",
    "RBF(": "SyntaxError",
    "RBF() RBF()": "SyntaxError",
    "RBF(); Linear()": "SyntaxError",
    "k = RBF()": "SyntaxError",
    "2.0": "a kernel expression",
    "RBF": "the name 'RBF'",
    "Rbf()": "the call of 'Rbf'",
    "2 + 3": "arithmetic without a kernel",
    "RBF(2 ** 0.5)": "arithmetic without a kernel",
    "2 / RBF()": "this operation",
    "RBF() / 0": "the divisor must be a number > 0; got 0",
    "RBF() / Linear()": "the divisor must be a number > 0",
    "RBF() @ RBF()": "this operation",
    "RBF() ** 0.5": "this operation",
    "RBF() ** -1": "exponent must be an integer >= 0",
    "2 ** 65 ** RBF()": "this operation",
    "2 ** RBF()": "this operation",
    "~RBF()": "this sign",
    "not RBF()": "this sign",
    "RBF() if True else Linear()": "a ifexp",
    "RBF() and Linear()": "a boolop",
    "RBF() < Linear()": "a compare",
    "[RBF()]": "a kernel expression",
    "{RBF()}": "a set",
    "RBF(**{'lengthscale': 2})": "a starred argument",
    "RBF(*[2])": "a starred argument",
    "RBF().psd": "a attribute",
    "RBF()[0]": "a subscript",
    "RBF()(1)": "the call of 'RBF\\(\\)'",
    "(lambda: RBF())()": "the call of",
    "[k for k in (RBF(),)][0]": "a subscript",
    "(k := RBF())": "a namedexpr",
    "f'{RBF()}'": "a joinedstr",
    "RBF(...)": "Ellipsis",
    "RBF(1j)": "1j",
    "RBF(b'1')": "b'1'",
    "RBF('1.0')": "lengthscale must be",
    "RBF(-1.0)": "lengthscale must be a positive number",
    "RBF(nan)": "lengthscale must be a positive number",
    "RBF(1e999, 2, 3)": "the arguments of RBF",
    "RBF(size=2)": "the arguments of RBF",
    "-2 * RBF()": "Write k1 - k2",
    "RBF() + None": "a kernel or a number",
    "RBF() * 'a'": "a kernel or a number",
    "Fixed(2)": "a kernel expression",
    "Fixed((1, 2)) * RBF()": "one number",
    "RBF(Bounded(3, 1, 2))": "between low",
    "RBF(Bounded(1, 'a', 2))": "low must be a number",
    "RBF(Bounded(1, -1, 2))": "the bounds of lengthscale",
    "Sum(RBF())": "two kernels or more",
    "Sum((RBF(), 1))": "two kernels or more",
    "Normalised(1)": "a kernel",
    "RBF() + \ud800": "UnicodeEncodeError",
    "RBF()\0": "SyntaxError",
    "9" * 5000 + " * RBF()": "SyntaxError",
    "1" + "0" * 400 + " * RBF()": "factor must be",
    "-" * 10_000 + "RBF()": "RecursionError|MemoryError|SyntaxError",
    "(" * 1000 + "RBF()" + ")" * 1000: "SyntaxError|MemoryError|RecursionError",
    "RBF() + " * 5_000 + "RBF()": "RecursionError",
    " " * LONGEST + "RBF()": f"at most {LONGEST} characters",
}


@pytest.mark.parametrize(("text", "fault"), REFUSED.items(), ids=[text[:30] for text in REFUSED])
def test_what_is_no_kernel_is_refused_with_fault_value_and_cure(text, fault):
    with pytest.raises((ValueError, TypeError), match=HOUSE_FORM) as caught:
        parse(text)
    assert re.search(fault, str(caught.value))


@pytest.mark.parametrize("text", [None, 3, b"RBF()", RBF()], ids=repr)
def test_only_text_is_parsed(text):
    with pytest.raises(ValueError, match=HOUSE_FORM):
        parse(text)


@pytest.mark.parametrize("attack", [
    "__import__('os').system('touch {path}')",
    "open('{path}', 'w')",
    "RBF(open('{path}', 'w'))",
    "RBF().__class__.__init__.__globals__['__builtins__']['open']('{path}', 'w')",
    "[open('{path}', 'w') for _ in (1,)]",
    "exec('open(\"{path}\", \"w\")')",
])  # fmt: skip
def test_nothing_in_the_text_is_executed(attack, tmp_path):
    path = tmp_path / "touched"
    with pytest.raises(ValueError, match=HOUSE_FORM):
        parse(attack.format(path=path))
    assert not path.exists()


WORDS = [*"()+-*,=[]'\"0123456789.e \n\\{}:#@!", "**", *vocabulary(), *(f"{w}()" for w in vocabulary()), "inf", "nan",
         "None", "True", "lengthscale=", "nu=", "k1", "__class__", "lambda: ", " if ", "1e308", "1j"]  # fmt: skip


def read_or_refuse(text):
    """A kernel, or a refusal in the house form; any other exception is a fault."""
    try:
        k = parse(text)
    except (ValueError, TypeError) as error:
        if not HOUSE_FORM.match(str(error)):
            raise AssertionError(f"{text!r} is refused in other words: {error}") from error
    else:
        assert isinstance(k, Kernel)


@settings(max_examples=200)
@given(st.text(max_size=40))
@example("\ud800")
def test_any_text_is_read_or_refused(text):
    read_or_refuse(text)


@settings(max_examples=600)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map("".join))
def test_any_words_of_the_grammar_are_read_or_refused(text):
    read_or_refuse(text)


@settings(max_examples=300)
@given(expressions().map(repr), st.data())
def test_a_slip_of_the_pen_is_read_or_refused(text, data):
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(["", *WORDS])) + text[at + data.draw(st.integers(0, 3)) :]
    read_or_refuse(text)


def test_reading_leaves_no_trace_in_the_interpreter():
    before = set(sys.modules)
    parse("2 * RBF(1.5) + Linear() ** 2")
    assert set(sys.modules) - before == set()

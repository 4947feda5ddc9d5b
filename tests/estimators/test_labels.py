"""Labels as numbers, and the weight of each class (I5)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.estimators.labels import Labels

y = np.array(["b", "a", "b", "c", "b"])


def test_labels_are_positions_among_the_sorted_classes():
    labels = Labels.of("M", y)
    assert labels.classes.tolist() == ["a", "b", "c"]
    assert_array_equal(labels.classes[labels.codes], y)
    assert_array_equal(labels.weight, 1.0)


def test_classes_can_be_weighed_by_name_or_balanced():
    assert_allclose(Labels.of("M", y, {"a": 2.0}).weight, [2.0, 1.0, 1.0])
    labels = Labels.of("M", y, "balanced")
    assert_allclose(np.bincount(labels.codes, labels.weight[labels.codes]), 5.0 / 3.0)


@pytest.mark.parametrize(("labels", "class_weight", "fault"), [
    (np.ones(3), None, r"M: y must be labels of two classes or more; got 1 class, \[1.0\]"),
    (np.array([1, "a"], dtype=object), None, "labels of one type|label type"),
    (np.array([0.5, 1.5, 2.5]), None, "Unknown label type"),
    (y, {"a": -1.0}, "M: class_weight must be positive numbers"),
])  # fmt: skip
def test_bad_labels_are_named_I5(labels, class_weight, fault):
    with pytest.raises(ValueError, match=fault):
        Labels.of("M", labels, class_weight)


def test_a_class_without_an_item_that_counts_is_named_I5():
    with pytest.raises(ValueError, match="zero for all items of class 'a'"):
        Labels.of("M", y).require_all("M", np.array([0, 3]))
    Labels.of("M", y).require_all("M", np.array([0, 1, 3]))

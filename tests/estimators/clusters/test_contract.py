"""The scikit-learn contract of clusters and of the nearest-medoid classifier (I4)."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import KernelKMeans, KMedoids, NearestMedoidClassifier

ORDER = "the starts are drawn among the items and clusters are numbered in their order, which copies change"
OPEN = {
    f"check_sample_weight_equivalence_on_{kind}_data": ORDER for kind in ("dense", "sparse")
}  # weights as copies of items: test_k_medoids.py has them for the method that depends on nothing but the loss


@parametrize_with_checks(
    [
        KMedoids(2, random_state=0),
        KMedoids(2, kernel="rbf", method="alternate", random_state=0),
        KMedoids(2, kernel=None, metric="manhattan", method="pam", init="build"),
        NearestMedoidClassifier(2, random_state=0),
        KernelKMeans(2, random_state=0),
        KernelKMeans(2, method="nystrom", n_landmarks=5, random_state=0),
    ],
    expected_failed_checks=lambda machine: {} if isinstance(machine, NearestMedoidClassifier) else OPEN,
)
def test_the_contract_of_scikit_learn_I4(estimator, check):
    check(estimator)

"""A small cluster of processes, one for all tests of a module."""

import numpy as np
import pytest

pytest.importorskip("distributed")


def cluster_of(workers):
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit="1GiB"
    )
    return Client(cluster)


@pytest.fixture(scope="module")
def client():
    found = cluster_of(2)
    yield found
    found.cluster.close()
    found.close()


@pytest.fixture(scope="session")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=len(X))
    return X, y

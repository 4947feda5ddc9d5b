"""Clusters around medoids and around means of features.

k_medoids.py         KMedoids
nearest_medoid.py    the classifier by the nearest medoid
kernel_k_means.py    clusters around means of features
distances.py         the distances of both, from a kernel or a metric
metric.py            metrics by name, in place of a kernel
settings.py          the arguments of a search for medoids, checked
silhouettes.py       silhouette and medoid_silhouette under any kernel or metric
verify.py            the loss and the best single swap, recomputed
"""

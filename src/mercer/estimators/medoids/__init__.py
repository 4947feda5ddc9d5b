"""Clusters around medoids: KMedoids, a classifier by the nearest medoid, and the distances both are made of.

k_medoids.py      KMedoids
classifier.py     the classifier by the nearest medoid
distances.py      the distances of both, from a kernel or a metric
metric.py         metrics by name, in place of a kernel
settings.py       the arguments of a search for medoids, checked
silhouettes.py    silhouette and medoid_silhouette under any kernel or metric
verify.py         the loss and the best single swap, recomputed
"""

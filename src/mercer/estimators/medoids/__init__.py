"""Clusters around medoids: KMedoids, a classifier by the nearest medoid, and the distances both are made of."""

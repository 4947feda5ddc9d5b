"""Embeddings: items as points in few coordinates, by the leading axes of their centred Gram or of their distances.

kernel_pca.py        kernel PCA
classical_mds.py     classical multidimensional scaling
axes.py              what both share: leading axes, and scores of new items
dissimilarities.py   where the distances of classical scaling come from
pre_images.py        from scores back to rows
certificate.py       how near the eigenvalues are to those of the centred Gram
verify.py            the same, recomputed
"""

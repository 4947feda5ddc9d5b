"""Embeddings: items as points in few coordinates, by the leading axes of their centred Gram or of their distances."""

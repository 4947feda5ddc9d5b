"""The main job: a table in, every method tuned and judged, one answer out."""

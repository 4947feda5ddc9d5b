"""The engine: tiles, threads and bytes.  It knows neither kernels nor models, only functions of two slices.

tiles.py         how a matrix is cut into tiles
pool.py          tasks on threads, with progress and an end on Ctrl-C
fill.py          what is done with tiles: a whole matrix, a product with it, a reduction along its rows
interrupts.py    Ctrl-C: a fit ends early with what it has found
"""

"""The engine: tiles, threads and bytes.  It knows neither kernels nor models, only functions of two slices."""

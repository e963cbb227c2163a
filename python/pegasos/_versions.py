"""Rejects a binding that would crash with the installed NumPy."""

from __future__ import annotations

# The first release of pybind11 that knows the layout of NumPy 2's arrays.
_FIRST_FOR_NUMPY_2 = (2, 12)


def check(numpy_version: str, pybind11_version: tuple[int, int, int]) -> None:
    """Raises ImportError if pybind11 is too old for NumPy."""
    if int(numpy_version.split(".")[0]) >= 2 and pybind11_version[:2] < _FIRST_FOR_NUMPY_2:
        built = ".".join(str(part) for part in pybind11_version)
        raise ImportError(
            f"pegasos was built with pybind11 {built}, which does not work with NumPy {numpy_version}. Build it again "
            "with pybind11 2.12 or later ('pip install ./python' with network does), or install NumPy 1."
        )

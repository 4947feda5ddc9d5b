"""Items: what a dataset is, whatever it holds.  Length, slicing, one check at the door, a fingerprint."""

from mercer.items.items import Anything, Items, Objects
from mercer.items.vectors import Vectors

__all__ = ["Anything", "Items", "Objects", "Vectors"]

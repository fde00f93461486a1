"""The version, read by the package, by the build and by the cache of object code."""

__version__ = "0.1.0"

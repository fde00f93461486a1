"""What is found out about a machine of any kind once, when it is read."""

from gough.model.mechanism.reading import Analysis, analysed

__all__ = ["Analysis", "analysed"]

"""The dynamics, derived in five ways: one file each, all with the same entry points."""

"""Singular configurations: how near, of which kind, and where a motion meets them."""

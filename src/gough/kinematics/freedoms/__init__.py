"""Poses and motions that a machine's degrees of freedom permit, and deviations of others."""

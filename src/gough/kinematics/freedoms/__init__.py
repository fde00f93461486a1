"""Poses and motions that a machine can do, and how far others are from them."""

"""Vectors, attitudes, screws and motions of one rigid body."""

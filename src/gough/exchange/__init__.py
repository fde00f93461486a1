"""Machines for other tools: source code of kernels."""

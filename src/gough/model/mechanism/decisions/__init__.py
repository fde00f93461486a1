"""Decisions on samples, once for a machine: degrees of freedom, plans, positions, reactions."""

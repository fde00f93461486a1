"""Legs in short: chains of joints and links with lengths, and patterns of them.

A file that names a leg's joints, the lengths of its links and where it begins and ends says all
that bodies and joints say. `expanded` draws them: first the places of the joints (`places`), then
their axes (`chain`), then bodies and joints (`expansion`).
"""

"""Machines with links that bend: floating frames, by recursion over a tree of links."""

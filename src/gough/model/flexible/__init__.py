"""Links that bend: beams of finite elements, reduced to a few coordinates, in trees of links."""

"""Small systems of equations, solved without branches."""

"""The equations, written once, symbolically, for one state of one machine."""

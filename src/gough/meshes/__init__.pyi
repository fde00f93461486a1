from .reading import KINDS as KINDS, read_surface as read_surface
from .surface import Colour as Colour, Piece as Piece, Surface as Surface

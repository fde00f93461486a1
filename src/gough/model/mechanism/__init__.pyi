from .reading import (
    Analysis as Analysis,
    analysed as analysed,
    possible_moves as possible_moves,
)

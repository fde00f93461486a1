"""Colours of the legs, the same in figures and reports."""

LEG_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by people who see colours differently (Okabe and Ito)."""

"""Examples as tests run them: what readers are shown may take longer than a test should."""

QUICKER = {
    "--points 3 --starts 2": "--points 3 --starts 1",
    "front(3, starts=2)": "front(3, starts=1)",
    "design.front(9, starts=4)": "design.front(3, starts=1)",
    "prove --check proof.json --at-most 3": "prove --check proof.json --at-most 1",
    "simulator.toml --relative-error 0.01": "simulator.toml --relative-error 0.05",
}
"""Words of pages, helps and examples, and what is run in their place."""


def quicker(text):
    """The same example with lower numbers, if it is one of these."""
    for shown, run in QUICKER.items():
        text = text.replace(shown, run)
    return text

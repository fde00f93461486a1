"""Names of which no two are alike."""

from collections.abc import Callable, Iterable


def distinct(
    names: Iterable[str],
    taken: Iterable[str] = (),
    longest: int | None = None,
    alike: Callable[[str], str] = str,
) -> list[str]:
    """Return the names; those that are taken, or equal to an earlier one, get a number: `name_2`.

    Names longer than `longest` letters are cut. Equal are those of which `alike` is.
    """
    found: list[str] = []
    used = {*map(alike, taken)}
    for name in names:
        new, count = name[:longest], 1
        while alike(new) in used:
            count += 1
            end = f"_{count}"
            new = name[: None if longest is None else longest - len(end)] + end
        used.add(alike(new))
        found.append(new)
    return found

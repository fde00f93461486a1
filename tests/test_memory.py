import pytest

from gough import GoughError
from gough.memory import available_memory, require_memory


def test_what_does_not_fit_is_refused_with_what_it_needs_and_what_is_free():
    require_memory(1.0, "2 samples")
    refused = r"9 samples need about \S+ GB of memory, and \S+ GB are free; expected fewer"
    with pytest.raises(GoughError, match=refused):
        require_memory(2.0 * available_memory(), "9 samples")


@pytest.mark.parametrize("needed", [float("inf"), float("nan"), 1e300])
def test_so_is_what_has_no_size(needed):
    with pytest.raises(GoughError, match="GB are free"):
        require_memory(needed, "all samples")

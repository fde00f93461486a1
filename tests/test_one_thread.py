"""Linear algebra on one thread, and on as many as before afterwards."""

import scipy.linalg  # noqa: F401  (loads its own library)
from threadpoolctl import ThreadpoolController

from gough.one_thread import one_thread


def test_numpy_and_scipy_are_on_one_thread_inside_and_as_before_outside():
    libraries = ThreadpoolController().select(user_api="blas")

    def threads():
        return {library["num_threads"] for library in libraries.info()}

    with libraries.limit(limits=2):
        for _ in range(2):  # what was looked for once serves again
            with one_thread():
                assert threads() == {1}
            assert threads() == {2}

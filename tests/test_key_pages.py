"""The pages of all keys are what the script makes of the schemas."""

import make_keys
import pytest


@pytest.mark.parametrize("name", make_keys.PAGES)
def test_the_page_is_current(name):
    page = (make_keys.FOLDER / name).read_text("utf-8")
    assert page == make_keys.page(name), "python docs/make_keys.py"

import pytest
from browser import browser, built_book, site
from hypothesis import settings

__all__ = ["browser", "built_book", "site"]

collect_ignore = ["data"]  # stored values, and the programs that made them from other codes

# The same examples every time, on however slow a machine: a test either passes or it does not.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items):
    """Share the tests out by file, so that what a file builds is built once; first those that need the built book."""
    for item in items:
        group = "book" if "built_book" in item.fixturenames else item.path.stem
        item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: "built_book" not in item.fixturenames)

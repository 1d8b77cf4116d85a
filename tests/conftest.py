from browser import browser, built_book, site
from hypothesis import settings

__all__ = ["browser", "built_book", "site"]

collect_ignore = ["data"]  # stored values, and the programs that made them from other codes

# The same examples every time, on however slow a machine: a test either passes or it does not.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")

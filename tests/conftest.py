import os

from browser import browser, built_book, page, pages, site
from hypothesis import settings

for variable in "CI", "GITHUB_ACTIONS", "FRESH_ANEW":
    os.environ.pop(variable, None)  # what a build does otherwise there is asked for by the tests that are about it

__all__ = ["browser", "built_book", "page", "pages", "site"]

collect_ignore = ["posenc/data"]  # stored values, and the programs that made them from other codes

# The same examples every time, on however slow a machine: a test either passes or it does not.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")


def pytest_xdist_auto_num_workers(config):
    """One worker more than processors, because a test that looks at pages waits for half of its time."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


LONG = (
    "test_site_pages",
    "test_interactive",
    "test_type_check",
    "test_planted_page",
    "test_changed_pages",
    "test_guard",
    "test_site_reading",
    "test_execute_pages",
    "test_unchanged_builds",
    "test_on_its_own",
    "test_figure_downloads",
    "test_numbers_page",
    "test_unseen",
    "test_figure_record",
    "test_fail_on_warnings",
    "test_for_lecturers",
    "test_publish",
    "test_print_pdf",
    "test_num_role",
    "test_disk_full",
    "test_machine",
)


def pytest_collection_modifyitems(items):
    """Begin with the files that take longest, so that side by side all workers end at about the same time."""
    places = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.stem, len(LONG)))

"""When pages are executed, what may be reused, and how a build ends. See README.md beside this file."""

# The first ends the build where nothing changed, before the others are imported.
MODULES = (
    "skip_unchanged last_words build_lock disk_full end_stalled fail_on_warnings execution_cache kernel_surroundings "
    "changed_pages execute_pages write_pages"
).split()


def setup(app) -> dict:
    for name in MODULES:
        app.setup_extension(f"{__name__}.{name}")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

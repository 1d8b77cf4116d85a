"""Every number that a page quotes has an id, a meaning and an address."""

MODULES = ("numbers_of_record", "num_role", "numbers_page")


def setup(app) -> dict:
    for name in MODULES:
        app.setup_extension(f"{__name__}.{name}")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

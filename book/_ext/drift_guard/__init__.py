"""Outputs must not drift: what the cells made is recorded, compared and reported."""

MODULES = ("published", "guard")


def setup(app) -> dict:
    for name in MODULES:
        app.setup_extension(f"{__name__}.{name}")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""Outputs must not drift: what the cells made is recorded, compared and reported. See README.md beside this file."""


def setup(app) -> dict:
    app.setup_extension("drift_guard.guard")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""How the site looks, and what readers can take away."""

MODULES = (
    "errata mathml theme security_policy dark_figures style_sheets bibliography_roles interactive_figures "
    "posenc_reference exercise_bodies code_links colophon site_address downloads figure_downloads link_check"
).split()


def setup(app) -> dict:
    for name in MODULES:
        app.setup_extension(f"{__name__}.{name}")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""What an extension keeps with Sphinx's environment (from build to build) or application (for one build): one object of
a class of its own, by which it is found."""

from typing import Any, Self


def key(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


class Kept:
    """The base of such a class, whose fields all have a value to begin with."""

    @classmethod
    def of(cls, holder: object) -> Self:
        """Return the object that an environment or application has of this class; it gets one where it has none."""
        return vars(holder).setdefault(key(cls), cls())

    def keep_on(self, holder: object) -> None:
        """Take the place of the object that an environment or application has of this class."""
        vars(holder)[key(type(self))] = self

    @classmethod
    def forget_page(cls, app: object, env: object, page: str) -> None:
        """Forget, on the event env-purge-doc, what is kept by page of a page that is read again or gone."""
        for things in vars(cls.of(env)).values():
            if isinstance(things, dict):
                things.pop(page, None)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Take what an earlier build kept; one of an earlier version may lack a field, which then begins empty."""
        self.__init__()
        vars(self).update(kept)

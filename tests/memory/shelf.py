"""The state directory as a dictionary, for what is pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Shelf(dict[str, str]):
    """Texts by name, as ``history.editing.Files`` shows them."""

    def text(self, name: str) -> str | None:
        """A file's text."""
        return self.get(name)

    def names(self, parent: str) -> list[str]:
        """The names in a folder, sorted."""
        start = f"{parent}/" if parent else ""
        inside = {
            name.removeprefix(start).split("/")[0]
            for name in self
            if name.startswith(start)
        }
        return sorted(inside)

    def with_first(self, texts: Mapping[str, str], count: int) -> Shelf:
        """The shelf after the first ``count`` of these writes: killed there."""
        return Shelf({**self, **dict(list(texts.items())[:count])})

"""An extension of Griffe: what a room offers is what the stub of its front door names."""

from typing import Any

from griffe import Extension, Module


class FrontDoors(Extension):
    """Tells Griffe, which does not run code, what `__all__` of every room is."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Name what each `__init__.pyi` takes from its room."""
        for room in (pkg, *pkg.modules.values()):
            if room.is_init_module:
                own = (name for name, path in room.imports.items() if path.startswith(pkg.name))
                room.exports = list(own)

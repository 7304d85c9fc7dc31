"""Names of an earlier layout, for the scripts of `found.py` that were written when the library was a room of `app`.

Python imports this module when it starts with this folder on its path; nothing of segue is imported unless it is asked
for by its earlier name.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType

_EARLIER, _NOW, _STAGES = "segue.app.library", "segue.library", "segue.app.stages"


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a module of the library by its earlier name, and watches what is set in `segue.app.stages`."""

    def find_spec(self, fullname, *_):
        """A spec for names that were moved, and for the module that is watched."""
        if fullname in (_EARLIER, _STAGES) or fullname.startswith(_EARLIER + "."):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=fullname == _EARLIER)
        return None

    def create_module(self, spec):
        """The module by the name that it has now."""
        if spec.name != _STAGES:
            return importlib.import_module(_NOW + spec.name.removeprefix(_EARLIER))
        sys.meta_path.remove(self)
        module = importlib.import_module(_STAGES)
        sys.meta_path.insert(0, self)
        module.__class__ = _Stages
        return module

    def exec_module(self, module):
        """It has run already."""


class _Stages(ModuleType):
    """Records were written there: a function that is set in its place is set where they are written now."""

    def __setattr__(self, name, value):
        if name == "write_record":
            importlib.import_module("segue.app.motion_file").write_record = value
        super().__setattr__(name, value)


sys.meta_path.insert(0, _Alias())

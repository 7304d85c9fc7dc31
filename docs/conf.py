"""How the pages are built; `make docs` runs it with warnings fatal and without a network."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from segue._version import __version__

project = "segue"
author = "The segue authors"
copyright = "the segue authors, Apache-2.0"  # noqa: A001 (Sphinx's word)
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "segue_docs.mathml",
    "segue_docs.symbols",
    "segue_docs.rooms",
    "segue_docs.flowchart",
    "segue_docs.outside",
    "segue_docs.drawn",
    "segue_docs.scraper",
    "segue_docs.player",
]
exclude_patterns = ["_ext", "_static", "gallery", "drawn"]
html_theme = "furo"
html_title = "segue"
html_static_path = ["_static"]
html_css_files = ["segue.css"]
html_js_files = ["copy.js"]
html_copy_source = False
html_domain_indices = False
html_show_sphinx = False
templates_path: list[str] = []
html_theme_options = {"navigation_with_keys": True}
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "github-dark-high-contrast"  # 7 to 1

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
math_number_all = False

default_role = "py:obj"
autodoc_default_options = {"members": True, "ignore-module-all": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"npt.ArrayLike": "ArrayLike"} | {
    name: name
    for name in (
        "Bools",
        "Costs",
        "Curves",
        "Floats",
        "FramePoint",
        "Ints",
        "Positions",
        "Progress",
        "Quaternions",
    )
}
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("segue_docs.scraper.scraper",),
    "reset_modules": (),
    "capture_repr": (),
    "abort_on_example_error": True,
    "run_stale_examples": True,  # an example may break because segue changed
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "thumbnail_size": (400, 250),
    "doc_module": ("segue",),
}

"""A motion as a page that plays it, with no network and no server.

The stage in ``client/`` draws; this package packs motions and bodies and writes the page around them.

- `packing`: poses in few bytes, with a stated error
- `bodies`: skeleton and skinned figure in few bytes
- `film`: document of motions that play in step
- `page`: the page around it
- `still`: one small picture for places where no script runs
- `notebook`: a motion under a notebook cell
"""

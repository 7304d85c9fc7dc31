"""A motion as a page that plays it, with no network and no server.

What is drawn is drawn by the stage in ``client/``; this package packs motions and bodies and writes the page round
them.

- `packing`: poses as few bytes, with a stated error
- `bodies`: skeleton and skinned figure as few bytes
- `film`: what is shown of motions in step, as one document
- `page`: the page round it
- `still`: one small picture, for where no script runs
- `notebook`: a motion under a cell
"""

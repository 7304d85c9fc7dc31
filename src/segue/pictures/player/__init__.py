"""A motion as a page that plays it, with no network and no server.

What is drawn is drawn by the stage in ``client/``; this package packs motions and bodies and writes the page round
them.

- `packing`: poses as few bytes, with a stated error
- `bodies`: skeleton and skinned figure as few bytes
"""

"""Pictures by which a person judges a motion: filmstrips, seams frame by frame, cost matrices, timelines.

Owns: everything drawn with matplotlib, which loads only when a picture is made and is the ``plot`` extra. May import:
graph, sequencing and all below. Decides nothing about a motion; the values shown are computed below.

- `filmstrip`: frames of a motion side by side, planted feet marked, seams tinted
- `seam_strip`: every frame around one seam, with the curves of its worst joints
- `matrix`: a cost matrix with minima and chosen points
- `measure_report`: measures over time; `report`: a page that contains its pictures
- `timeline`: which clip plays when, and the path from above
- `sequence_timeline`: elementary motions on their clock, the joins of pairs, and the speeds of both halves
- `path_view`: the path of the root from above; a walk with the path it was to follow
- `player`: a motion as a page that plays it
- `canvas`: the only module that uses matplotlib; `strips`, `bodies`, `origins`, `palette`: shared parts
"""

"""Pictures a person can judge a motion by: filmstrips, seams frame by frame, cost matrices, timelines.

Owns: everything drawn with matplotlib, which loads only when a picture is made and is the ``plot`` extra. May import:
graph, sequencing and every floor below. Never decides anything about a motion; what it shows is computed below.

- `filmstrip`: frames of a motion side by side, planted feet marked, seams tinted
- `seam_strip`: every frame around one seam, with the curves of its worst joints
- `matrix`: a cost matrix with minima and chosen points
- `measure_report`: measures over time; `report`: a page that holds its pictures
- `timeline`: which clip plays when, and the path from above
- `sequence_timeline`: elementary motions on their clock, how pairs are joined, and how fast both halves go
- `path_view`: the path of the root from above; a walk beside the path it was to follow
- `player`: a motion as a page that plays it
- `canvas`: the only door to matplotlib; `strips`, `bodies`, `origins`, `palette`: what they share
"""

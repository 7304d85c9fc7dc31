"""Motion graphs: clips cut at transition points, and endless or ordered walks through them.

Owns: building, pruning, walking, rendering. May import: synthesis, transitions, blending and below. Never reads a
file.

- `motion_graph`: `MotionGraph`, nodes, edges, what was dropped and why
- `build`: clips to graph; `matching`: every pair, all jumps; `jumps`: these as columns, those above a threshold only
  counted; `pairs`: what one pair gives, and how it is kept; `workers`: who compares pairs, tile by tile; `checking`:
  alignment and seam of the points a threshold may let through; `parts`: stretches without faulty frames
- `walk`: endless, seeded, exactly as long as asked (`wander`), and how it becomes a clip (`render`);
  `walker`: what is done next, and what comes again before something fresh
- `goals`, `search`: walks that go where they are told (`search.maze`: a graph with its ground motions known beforehand;
  `search.states`, `search.rounds`: branch and bound; `search.directed`: what people call, and why none is found)
- `stitch`: clips in a given order through their best transitions
"""

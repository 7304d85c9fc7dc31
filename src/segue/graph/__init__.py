"""Motion graphs: clips cut at transition points, and endless or ordered walks through them.

Owns: building, pruning, walking, rendering. May import: synthesis, transitions, blending and below. Never reads a file.

- `motion_graph`: `MotionGraph`, nodes, edges, excluded clips and the reasons
- `build`: clips to graph; `matching`: every pair, all jumps; `jumps`: jumps as columns, those above a threshold only
  counted; `pairs`: results of one pair, and how they are stored; `workers`: execution of comparisons, tile by tile;
  `checking`: alignment and seam of the points that a threshold may admit; `parts`: stretches without faulty frames
- `walk`: endless, seeded, exactly as long as requested (`wander`), and its conversion to a clip (`render`);
  `walker`: choice of the next transition, and repetition
- `goals`, `search`: walks that meet goals (`search.maze`: a graph with precomputed ground motions; `search.states`,
  `search.rounds`: branch and bound; `search.directed`: the public interface, and why no walk is found)
- `stitch`: clips in a given order through their best transitions
"""

"""`segue stitch` of a walk, a turn and a run of three different subjects on one body.

Shows: `segue stitch` of a walk, a turn and a run of three subjects
Bars: the requested order, two seams, both within the bounds of `wander`, the root never faster than in the sources
Needs: clips
Group: The main job
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _runner import Show, run, segue_json

from segue.app.measuring import measure_file

CLIPS = ("02/02_01.amc", "16/16_17.amc", "127/127_04.amc")
"""The first walk of subject 02, the first 90 degree turn of 16, the walk into a run of 127."""


def main(verdicts: Show) -> None:
    out = verdicts.folder / "stitch.bvh"
    document = segue_json("stitch", *(verdicts.clips / "asf_amc" / clip for clip in CLIPS), "-o", out)
    found = measure_file(out)
    motion, measures = found.motion, found.measures
    for join in document["joins"]:
        verdicts.note(
            f"{join['from']} left at {join['from_seconds']:.2f} s, {join['to']} entered at {join['to_seconds']:.2f} s, "
            f"cost {join['cost']:.3g} = {join['next_frame_costs']:.1f} median next-frame costs"
        )
    main_source = motion.origin.clip[np.arange(motion.n_frames), np.argmax(motion.origin.weight, axis=1)]
    order = [motion.origin.clips[k] for k in main_source[np.r_[True, np.diff(main_source) != 0]]]
    wanted = [Path(clip).stem for clip in CLIPS]
    verdicts.check("order played", " ".join(order), " ".join(wanted), order == wanted)
    verdicts.check("seams", len(measures.seams), "= 2")
    for seam in measures.seams:
        label = f"{seam.a_clip} to {seam.b_clip}"
        share = float(seam.speed_share(measures.bounds).max())
        verdicts.check(f"{label}: angular speed over its bound", share, "<= 1")
        ratio = float(seam.acceleration_ratio.max())
        verdicts.check(f"{label}: acceleration / the sources'", ratio, "<= 2")
    step = float(np.linalg.norm(np.diff(motion.root_positions[:, [0, 2]], axis=0), axis=1).max() * motion.fps)
    fastest = max(
        float(np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1).max() * clip.fps)
        for clip in found.sources
    )
    verdicts.check(
        "fastest root step, against the sources' fastest",
        step,
        f"<= {fastest:.4g}",
        step <= fastest + 1e-5,  # a file's last digit, at 120 frames a second
        "m/s",
    )
    start_to_end, along = measures.mean_slide
    verdicts.note(f"foot skate {100 * start_to_end:.1f} cm start to end, {100 * along:.1f} cm along the path")


if __name__ == "__main__":
    run(main, "segue stitch: a walk, a turn and a run of subjects 02, 16 and 127")

"""Reduce pictures of the studio, and combine them with their drafts."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

DRAFTS = Path(__file__).resolve().parents[2].parent / "shared" / "studio"


def small(picture: Image.Image) -> Image.Image:
    """Return a picture in 256 colours."""
    return picture.convert("RGB").quantize(256, kmeans=4)


def make_small(folder: Path, pattern: str) -> None:
    """Reduce the pictures of a folder to 256 colours."""
    for path in sorted(folder.glob(pattern)):
        small(Image.open(path)).save(path, optimize=True)


def beside(draft: str, ours: Path) -> None:
    """Save a draft and our picture side by side, next to ours, if both exist."""
    paths = (DRAFTS / draft, ours)
    if not all(path.is_file() for path in paths):
        return
    pictures = [Image.open(path).convert("RGB") for path in paths]
    both = Image.new("RGB", (sum(one.width for one in pictures), max(one.height for one in pictures)))
    both.paste(pictures[0], (0, 0))
    both.paste(pictures[1], (pictures[0].width, 0))
    small(both).save(ours.with_name(f"{ours.stem}-beside-its-draft.png"), optimize=True)

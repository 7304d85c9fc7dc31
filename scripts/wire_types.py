"""Write the messages of the studio for the page: client/studio/src/wire.ts."""

from __future__ import annotations

from pathlib import Path

from segue.studio.typescript import declarations

PATH = Path(__file__).resolve().parents[1] / "client/studio/src/wire.ts"

if __name__ == "__main__":
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(declarations(), encoding="utf-8")
    print(f"{PATH} written")

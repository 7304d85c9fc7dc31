"""Write the message types of the studio and of the study page for TypeScript: client/*/src/wire.ts."""

from __future__ import annotations

from pathlib import Path

from segue.studio import typescript
from segue.study import messages

CLIENT = Path(__file__).resolve().parents[1] / "client"
WRITTEN = {"studio": typescript.declarations, "study": messages.declarations}

if __name__ == "__main__":
    for page, declarations in WRITTEN.items():
        path = CLIENT / page / "src/wire.ts"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(declarations(), encoding="utf-8")
        print(f"{path} written")

"""A content folder of a few short pages, each for the tests of one file: ready within seconds."""

from __future__ import annotations

from pathlib import Path

READER = """---
title: The mill by the river
description: How to find us
---
# The mill

The old mill stands by the river.

The door is open until the evening.
"""
RESCANNED = """---
title: The garden behind the house
---
# The garden

We water the flowers in the morning.

The children pick apples in the autumn.
"""
SHAPED = """# The workshop { #the-workshop }

Bring a hammer and read [the rules](rules.md#tools) before you start.

```python
print("Count the nails")
```

/// tip | Good to know

The lamp is next to the door.

///

| Tool | Place |
|------|-------|
| Hammer | The top shelf |
| Ladder | Behind the door |

Call the `open_door` function when you leave.
"""


def write_small_site(folder: Path) -> None:
    """Write the pages into `folder`."""
    folder.mkdir()
    for name, text in {"reader.md": READER, "rescanned.md": RESCANNED, "shaped.md": SHAPED}.items():
        (folder / name).write_text(text, encoding="utf-8")

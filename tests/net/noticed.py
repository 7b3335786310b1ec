"""Holds `boundary-lab defects --json`, from standard input, against `fixtures/lab/noticed.json`; `--write` rewrites it.

The file says for each defect which rows and cells noticed it. Lesson 6 shows it.
"""

import json
import sys

from boundary_lab.defects import NETS
from boundary_lab.fixtures import fixture, load


def main(*options):
    said = json.load(sys.stdin)
    if not said["ok"]:
        sys.exit(f"{said['code']}: {said['meaning']} {said['next']}")
    noticed = {found["name"]: {net: found[net]["differ"] for net in NETS} for found in said["defects"]}
    if options == ("--write",):
        path = fixture("lab") / "noticed.json"
        path.write_text(json.dumps(noticed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif noticed != load("lab/noticed.json"):
        before = load("lab/noticed.json")
        moved = [name for name in {**noticed, **before} if noticed.get(name) != before.get(name)]
        sys.exit(f"not as recorded: {', '.join(moved)}\nif rows or notebooks changed on purpose: make record")
    both = [found for found in said["defects"] if found["expected"] == list(NETS)]
    print(f"All {len(both)} are killed by both nets; the {len(said['defects']) - len(both)} others are as expected.")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""`make mutants`: mutmut over the core, and what it leaves alive against `survivors.json`.

mutmut runs in a copy under `build/`, each mutant with the tests that reach its function. An entry of the list names
the function, the line as it was and as it became, and says why no test can tell the two apart. A number comes with
it only where one function has several such mutants.

What mutmut leaves alone: module-level code, decorated functions but for class and static methods, and the arguments
of `len` and `isinstance`.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.format_utils import orig_function_and_class_names_from_key

ROOT = Path(__file__).parents[1]
COPY = ROOT / "build" / "mutants"
SURVIVORS = ROOT / "tests" / "survivors.json"
OPTIONS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
TESTS = OPTIONS["pytest_add_cli_args_test_selection"]
# pytest starts once for each mutant, so it starts with what these tests need and no more.
LIGHT = "-o addopts=--import-mode=importlib -p no:unraisableexception -p no:threadexception -p no:doctest"
ENVIRONMENT = os.environ | {
    "HYPOTHESIS_PROFILE": "mutants",
    "PYTEST_ADDOPTS": LIGHT,
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}


def copy():
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for path in (ROOT / name for name in ("src", "tests", "pyproject.toml", *OPTIONS["also_copy"])):
        if path.is_dir():
            shutil.copytree(path, COPY / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(path, COPY)


def verdicts():
    """Mutant → how it ended, in the order of the source; nothing of those that were not asked for."""
    codes = {}
    for path in sorted(Path("mutants/src/boundary_lab").glob("*.meta")):
        codes |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return {name: status_by_exit_code[code] for name, code in codes.items() if code is not None}


def changes(names):
    """Mutant → its function, the line as it was and as it became, and which of several such it is."""
    seen, found = Counter(), {}
    for name in names:
        module = name.split(".")[1]
        function, kind = orig_function_and_class_names_from_key(name)
        diff = get_diff_for_mutant(name, path=f"src/boundary_lab/{module}.py").splitlines()[2:]
        lines = (" ".join(line[1:].strip() for line in diff if line[0] == sign) for sign in "-+")
        change = (".".join(filter(None, (module, kind, function))), *lines)
        seen[change] += 1
        found[name] = (*change, seen[change])
    return found


def passes(name, *tests):
    environment = ENVIRONMENT | {"MUTANT_UNDER_TEST": name, "PYTHONPATH": "src"}
    call = [sys.executable, "-m", "pytest", "-x", "-q", *tests]
    return subprocess.run(call, env=environment, stdout=subprocess.DEVNULL, check=False).returncode == 0


def lives(name):
    """Whether a mutant also survives where it is there from the start; mutmut's come after everything was imported."""
    own = Path(f"tests/test_{name.split('.')[1]}.py")
    return (not own.exists() or passes(name, own)) and passes(name, *TESTS)


def reasons():
    entries = json.loads(SURVIVORS.read_text(encoding="utf-8"))
    return {(entry["in"], entry["was"], entry["becomes"], entry.get("nth", 1)): entry["why"] for entry in entries}


def show(title, found):
    for function, was, becomes, nth in sorted(found):
        print(f"{title}: {function} ({nth})\n  - {was}\n  + {becomes}")


def main(arguments):
    copy()
    os.chdir(COPY)
    subprocess.run([Path(sys.executable).with_name("mutmut"), "run", *arguments], env=ENVIRONMENT, check=True)
    found, why = verdicts(), reasons()
    change = changes(found)
    suspects = [name for name, verdict in found.items() if verdict not in ("killed", "timeout")]
    os.chdir("mutants")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        live = dict(zip(suspects, pool.map(lambda name: change[name] in why or lives(name), suspects), strict=True))
    alive = {change[name] for name in suspects if live[name]}
    stale = {entry for entry in why if entry not in alive and (entry in change.values() or not arguments)}
    show("alive, and no reason given", alive - why.keys())
    show("a reason given, and not alive", stale)
    late = sum(verdict == "timeout" for verdict in found.values())
    print(
        f"killed {len(found) - len(alive)} of {len(found)}, {late} of them by the clock; alive, with a reason:", end=" "
    )
    print(len(alive & why.keys()))
    return bool(alive - why.keys() or stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

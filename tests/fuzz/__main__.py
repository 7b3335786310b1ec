"""`make fuzz TARGET=packet SECONDS=600`: one target under atheris, guided by coverage.

The corpus lies in CORPUS, a folder that is made if it is missing; what it holds is run first. Options of libFuzzer
go after `--`, such as `-merge=1 NEW OLD`, which keeps the smallest set of inputs that reaches everything.
"""

import argparse
import json
import random
import sys
from hashlib import sha256
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["boundary_lab", "rfc8259", "fuzz.targets"]):
    from fuzz.targets import TARGETS
from fuzz.seeds import SEEDS, dictionary

_SCALARS = [None, True, False, 0, 1, -1, 1.0, "", " ", "a", "\0", "\ud83d", [], {}]
_SEPARATORS = {"loader": b"\0", "events": b"\n"}  # of the parts of an input; the others have one part


def places(value):
    """Every (container, key) below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield value, key
        yield from places(item)


def changed(data, chance):
    """JSON with one part replaced, removed, put in twice, or swapped with another; `ValueError` for what is none."""
    whole = [json.loads(data)]
    found = list(places(whole))
    (container, key), (other, name) = chance.choice(found), chance.choice(found)
    what = chance.randrange(4)
    if what == 0:
        container[key] = chance.choice(_SCALARS)
    elif what == 1:
        container[key] = json.loads(json.dumps(other[name]))
    elif what == 2 and container is not whole:
        del container[key]
    elif isinstance(container, list) and container is not whole:
        container.insert(key, json.loads(json.dumps(container[key])))
    return json.dumps(whole[0], ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def mutator(separator):
    def mutate(data, size, seed):
        chance = random.Random(seed)
        parts = data.split(separator) if separator else [data]
        at = chance.randrange(len(parts))
        try:
            parts[at] = changed(parts[at], chance) if chance.random() < 0.5 else atheris.Mutate(parts[at], size)
        except (ValueError, RecursionError):
            return atheris.Mutate(data, size)
        made = (separator or b"").join(parts)
        return made if len(made) <= size else atheris.Mutate(data, size)

    return mutate


def main():
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("seconds", type=int)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("more", nargs="*", help="options of libFuzzer")
    given = parser.parse_args()
    seeds, corpus = list(SEEDS[given.target]()), given.corpus / given.target
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (corpus / sha256(seed).hexdigest()[:16]).write_bytes(seed)
    words = given.corpus / f"{given.target}.dict"
    words.write_text(dictionary(seeds), encoding="ascii")
    options = [f"-max_total_time={given.seconds}", f"-dict={words}", f"-artifact_prefix={corpus}-", *given.more]
    inputs = [] if any(option.startswith("-merge") for option in given.more) else [str(corpus)]
    again = [sys.executable, "-m", "fuzz", given.target, given.seconds, given.corpus, "--"]  # as `-merge=1` calls it
    mutate = mutator(_SEPARATORS.get(given.target))
    atheris.Setup(
        [" ".join(map(str, again)), "-max_len=3072", "-print_final_stats=1", *options, *inputs],
        TARGETS[given.target],
        custom_mutator=mutate,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()

"""Generated JSON: any value, and a given value with a few places changed."""

import copy

from hypothesis import strategies as st

# Numbers that equal another type's, text that is no UTF-8, and everything else that JSON can hold.
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, 1, 1.0, True, -0.0])
    | st.floats()
    | st.text(st.characters() | st.sampled_from("\ud800\udfff\ufeff\x00"))
)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
)


def places(value, path=()):
    """The path of every part of a value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def _parent(value, path):
    for key in path[:-1]:
        value = value[key]
    return value


def _replace(draw, value, path):
    old = _parent(value, path)[path[-1]]
    near = [float(old)] if type(old) is int else [int(old)] if type(old) is bool else [f"{old} "]
    _parent(value, path)[path[-1]] = draw(st.sampled_from(near) | json_values)


def _remove(_draw, value, path):
    del _parent(value, path)[path[-1]]


def _add(draw, value, path):
    parent = _parent(value, path)
    item = draw(json_values | st.just(copy.deepcopy(parent[path[-1]])))
    if isinstance(parent, list):
        parent.insert(draw(st.integers(0, len(parent))), item)
    else:
        parent[draw(st.text(max_size=8))] = item


def _shuffle(draw, value, path):
    parent = _parent(value, path)
    if isinstance(parent, list):
        parent[:] = draw(st.permutations(parent))


@st.composite
def changed(draw, value):
    """`value` after at most three changes at any depth: replaced, removed, added, put into another order."""
    value = copy.deepcopy(value)
    for change in draw(st.lists(st.sampled_from([_replace, _remove, _add, _shuffle]), max_size=3)):
        paths = [path for path in places(value) if path]
        if paths:
            change(draw, value, draw(st.sampled_from(paths)))
    return value


def without_integral_floats(value):
    """The value with 1.0 as 1, as JSON Schema sees it."""
    if isinstance(value, dict):
        return {key: without_integral_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_integral_floats(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value

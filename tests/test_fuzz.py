"""The fuzzer's targets hold for what it begins with; `make fuzz` goes on from there, by hand."""

import pytest

from fuzz.seeds import SEEDS, dictionary
from fuzz.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_target_on_its_seeds(name):
    for seed in SEEDS[name]():
        TARGETS[name](seed)


def test_a_dictionary_is_in_libfuzzers_format():
    assert dictionary([b'{"k":[true]}', b"no JSON"]).splitlines()[-1] == r'"\x7D"'
    assert r'"\x6B"' in dictionary([b'{"k":1}']).splitlines()

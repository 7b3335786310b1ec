"""A packet's checks against two libraries for JSON Schema, on the contract's own closed schema.

The contract may be ahead: all that does not depend on the candidate is done at loading. The libraries
do less: they see no repeated key, and take `1.0` for `1`.
"""

import json

import fastjsonschema
import jsonschema
import pytest

from boundary_lab.canonical import canonical
from boundary_lab.packet import PacketContract
from rows import fixture, load

CONTRACT = PacketContract.load(fixture("handoff/contract.json"))
PACKET = load("handoff/packet.json")
TEXT = canonical(PACKET)
FAST = fastjsonschema.compile(CONTRACT.json_schema())
FULL = jsonschema.Draft202012Validator(CONTRACT.json_schema())

VALIDATE = {
    "PacketContract.validate": CONTRACT.validate,
    "jsonschema": FULL.validate,
    "fastjsonschema": FAST,
}
PARSE = {
    "PacketContract.parse": CONTRACT.parse,
    "json.loads, jsonschema": lambda text: FULL.validate(json.loads(text)),
    "json.loads, fastjsonschema": lambda text: FAST(json.loads(text)),
    "json.loads alone": json.loads,
}


@pytest.mark.benchmark(group="a packet as a value")
@pytest.mark.parametrize("name", VALIDATE)
def test_validate(benchmark, name):
    benchmark(VALIDATE[name], PACKET)


@pytest.mark.benchmark(group="a packet as text")
@pytest.mark.parametrize("name", PARSE)
def test_parse(benchmark, name):
    benchmark(PARSE[name], TEXT)

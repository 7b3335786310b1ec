"""Both digests against formulas written down here, which import nothing of the core."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundary_lab.digests import BytesV2, TextV1, bytes_v2, text_v1


def frame(data):
    return len(data).to_bytes(8, "big") + data


def bytes_v2_by_hand(manifest, evidence):
    framed = b"".join(frame(path.encode()) + frame(data) for path, data in evidence)
    return sha256(b"release-input-v2\x00" + frame(manifest) + framed).hexdigest()


def text_v1_by_hand(manifest, evidence):
    text = manifest.decode("utf-8", "replace")
    text += "".join(f"\0{path}\0{data.decode('utf-8', 'replace')}" for path, data in evidence)
    return sha256(text.encode()).hexdigest()


BY_HAND = {"bytes_v2": (bytes_v2, BytesV2, bytes_v2_by_hand), "text_v1": (text_v1, TextV1, text_v1_by_hand)}
evidence = st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.binary()), max_size=3)


@pytest.mark.parametrize("name", BY_HAND)
@given(manifest=st.binary(), evidence=evidence)
def test_formula(name, manifest, evidence):
    digest, _, by_hand = BY_HAND[name]
    assert digest(manifest, evidence) == by_hand(manifest, evidence)


@pytest.mark.parametrize("name", BY_HAND)
def test_a_path_with_an_unpaired_surrogate(name):
    """Its code point is written in three bytes, as UTF-8 writes its neighbours."""
    expected = {
        "bytes_v2": b"release-input-v2\0" + frame(b"") + frame(b"\xed\xa0\x80") + frame(b""),
        "text_v1": b"\0\xed\xa0\x80\0",
    }
    assert BY_HAND[name][0](b"", [("\ud800", b"")]) == sha256(expected[name]).hexdigest()


@pytest.mark.parametrize("name", BY_HAND)
@given(data=st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")), size=st.integers(1, 5))
def test_pieces_do_not_matter(name, data, size):
    digest, fed, _ = BY_HAND[name]
    piecewise = fed(b"m")
    piecewise.begin("a", len(data))
    for start in range(0, len(data), size):
        piecewise.update(data[start : start + size])
    assert piecewise.hexdigest() == digest(b"m", [("a", data)])


def test_lengths_in_front_close_the_separator():
    """One file that holds a NUL poses as two; text-v1 cannot tell, bytes-v2 can."""
    one, two = [("a", b"x\x00b\x00y")], [("a", b"x"), ("b", b"y")]
    assert text_v1(b"", one) == text_v1(b"", two)
    assert bytes_v2(b"", one) != bytes_v2(b"", two)

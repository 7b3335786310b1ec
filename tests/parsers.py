"""What each contract calls the fault that the strict parser found, and its limit in bytes."""


def words(size, encoding, bom, syntax, surrogate, repeated_key):
    return locals()


LIMITS = {"packet": 8192, "review": 4096, "manifest": 64 << 20, "candidate": 64 << 20}
WORDS = {
    "packet": words("bad_wire_size", *["bad_json"] * 4, "duplicate_json_key"),
    "review": words("bad_wire", "bad_wire", "bad_json", "bad_json", None, "duplicate_key"),
    "manifest": words("MANIFEST_SIZE", "MANIFEST_UTF8", "MANIFEST_BOM", *["MANIFEST_JSON"] * 3),
    "candidate": words("CANDIDATE_SIZE", "CANDIDATE_UTF8", *["CANDIDATE_JSON"] * 4),
}

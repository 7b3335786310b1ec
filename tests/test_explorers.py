"""The explorers without a browser: what a control is set to, what is shown, and what is said of a wrong value."""

import itertools
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from boundary_lab.teach import Prediction, explorers
from rows import load, title

CASES = load("lab/explorers.json")
NAMES = ("handoff", "review", "digest", "path", "stream", "defect")
HARMLESS = {
    "caption", "details", "div", "figure", "img", "mark", "p", "pre", "style", "summary",
    "table", "tbody", "td", "th", "thead", "tr",
}  # fmt: skip
CONTROLS = {name: list(getattr(explorers, name).explorer()._controls) for name in NAMES}


class Tags(HTMLParser):
    """The elements of a piece of HTML, and its text without what is in a source."""

    def __init__(self, html):
        super().__init__()
        self.names, self.words = set(), []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data):
        self.words.append(data)


def explorer(name):
    return getattr(explorers, name).explorer()


def move(each, case):
    each[case["control"]].value = tuple(case["value"]) if isinstance(case["value"], list) else case["value"]


def faults(each):
    return "".join(fault.value for fault in each._faults.values())


@pytest.mark.parametrize("case", CASES, ids=title)
def test_case(case):
    each = explorer(case["explorer"])
    before = each.text()
    assert case["shows"] not in before
    move(each, case)
    if case["shows"].startswith("Not like this"):
        assert case["shows"] in faults(each)
        assert case["control"] in [name for name, fault in each._faults.items() if fault.value]
        assert each.text() == before
        assert each[case["control"]].value == case["value"]
    else:
        assert faults(each) == ""
        assert case["shows"] in each.text()
    assert each._below.value == each.html()


def test_every_control_has_a_case():
    assert {(case["explorer"], case["control"]) for case in CASES} == {
        (name, control) for name, controls in CONTROLS.items() for control in controls
    }


@pytest.mark.parametrize("case", CASES, ids=title)
def test_what_is_shown_is_escaped(case):
    each = explorer(case["explorer"])
    move(each, case)
    html = Tags(each.html())
    assert html.names <= HARMLESS
    said = "".join(html.words)
    for word in each.text().replace("»", "").replace("«", "").split():
        assert word in said


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_view_over_a_function(name):
    """Every combination of chosen values shows what the function gives for them."""
    each = explorer(name)
    chosen = {control: _choices(each[control]) for control in CONTROLS[name]}
    for values in itertools.islice(itertools.product(*chosen.values()), 60):
        for control, value in zip(chosen, values, strict=True):
            each[control].value = value
        assert each.text() == each._show(**dict(zip(chosen, values, strict=True))).text()


def _choices(widget):
    if hasattr(widget, "options"):
        return widget.options
    return range(widget.min, widget.max + 1) if hasattr(widget, "min") else [widget.value]


@pytest.mark.parametrize("name", NAMES)
def test_every_control_is_labelled(name):
    for control in explorer(name)._controls.values():
        assert control.label
        assert control.hint.endswith(".")
        parts = [control.widget, *getattr(control.widget, "_ticks", {}).values()]
        assert all(part.description and part.tooltip for part in parts if hasattr(part, "description"))


PICTURES = {name: getattr(explorers, name).explorer()._shown._parts for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_an_svg_with_title_and_description(name):
    (picture,) = [part for part in PICTURES[name] if hasattr(part, "svg")]
    root = ET.fromstring(picture.svg())  # noqa: S314  our own
    title_, description = (root.find(f"{{*}}{tag}") for tag in ("title", "desc"))
    assert (title_.text, description.text) == (picture.title, picture.text())
    right = float(root.get("viewBox").split()[2])
    assert all(float(text.get("x")) < right for text in root.iter("{*}text"))


@pytest.mark.parametrize("answer", [None, "two", "three"])
def test_prediction(answer):
    guess = Prediction("How many?", ["two", "three"])
    compared = guess.compare("three")
    assert compared.text() == "The run says: three. You have not answered."
    guess.choice.value = answer
    said = {None: "You have not answered.", "two": "You said: two.", "three": "That is what you said."}[answer]
    assert compared.text() == f"The run says: three. {said}"
    assert said in compared.widget.value
    assert guess.answer == answer
    with pytest.raises(ValueError, match="nobody could answer"):
        guess.compare("four")

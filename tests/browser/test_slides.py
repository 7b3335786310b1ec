"""The decks: every slide fits, asks no other machine for anything, and has notes. The handout is one page."""

import re

import pytest
from nbconvert.filters import markdown2html

from boundary_lab.nets import CHECKOUT
from boundary_lab.teach.slides import main
from browser.pages import NotebookPage
from net.checks import read

LESSONS = sorted((CHECKOUT / "notebooks").glob("0[1-9]_*.ipynb"))
SIZE = {"width": 1400, "height": 900}
FITS = """() => {
    const slide = Reveal.getCurrentSlide();
    return slide.scrollHeight <= 900 && slide.scrollWidth <= slide.clientWidth + 2
        && [...slide.querySelectorAll('img')].every(each => each.naturalWidth && each.alt);
}"""


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    main(str(folder))
    return folder


@pytest.fixture
def opened(chromium, decks):
    """A deck of that name, on a page that hears what it asks for."""
    context = chromium.new_context(viewport=SIZE)

    def go(name):
        page = NotebookPage(context.new_page())
        page.page.goto((decks / f"{name}.html").as_uri())
        page.page.wait_for_function("window.Reveal && Reveal.isReady()")
        return page

    yield go
    context.close()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_every_slide_fits(lesson, opened):
    page = opened(lesson.stem)
    slides = page.page.evaluate("Reveal.getTotalSlides()")
    kinds = [cell.metadata.slideshow.slide_type for cell in read(lesson).cells]
    assert slides == kinds.count("slide") + kinds.count("subslide")
    for _ in range(slides):
        assert page.page.evaluate(FITS), page.page.evaluate("Reveal.getCurrentSlide().innerText")
        page.page.keyboard.press("Space")
    assert page.page.evaluate("Reveal.isLastSlide()")
    assert page.console == []


def test_the_speaker_sees_the_notes(opened, keep):
    page = opened("01_tool_row_dropping")
    page.page.keyboard.press("Space")
    with page.page.expect_popup() as popup:
        page.page.keyboard.press("s")
    notes = popup.value.locator(".speaker-controls-notes .value")
    notes.get_by_text("Three markers").wait_for()
    keep(NotebookPage(popup.value), "speaker")


def test_the_handout_is_one_page(chromium):
    text = (CHECKOUT / "notebooks" / "instructor" / "handout.md").read_text(encoding="utf-8")
    page = chromium.new_page()
    page.set_content(
        f"<style>body {{ font: 10.5pt sans-serif }} td {{ padding: 2pt 6pt }}</style>{markdown2html(text)}"
    )
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == 1
    page.close()

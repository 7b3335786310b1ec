"""A notebook in a browser as its reader sees it: what it says, what went wrong, and how to run it."""

import re
from contextlib import contextmanager

# Console errors that are not the lab's.
UPSTREAM = re.compile(
    r"Failed to load resource.*/api/(?:workspaces|contents/.*checkpoints|kernels)"
    r"|favicon|Could not restore the debugger state"
    r"|Cannot read properties of undefined \(reading 'schema'\)"  # Notebook 7.6.5, with any notebook
)
LOCAL = re.compile(r"(?:http|ws)://127\.0\.0\.1:|data:|blob:|file:")
ERRORS = (
    '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"], '
    '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]'
)
MILLISECONDS = 120_000
SOON = 10_000
BROKEN = """images => images
    .filter(each => !each.complete || !each.naturalWidth || !each.alt)
    .map(each => each.src.slice(0, 80))"""
ALL_DRAWN = """count => {
    const cells = [...document.querySelectorAll('.jp-Notebook .jp-Cell')];
    return cells.length === count && cells.every(each => each.isConnected && each.innerText.trim());
}"""
OPEN = "async path => { await jupyterapp.restored; await jupyterapp.commands.execute('docmanager:open', { path }); }"
SAVE_AND_CLOSE = """async () => {
    for (const command of ['docmanager:save', 'application:close']) await jupyterapp.commands.execute(command);
}"""
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
ALL_RUN = """idle => {
    const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(each => each.textContent.trim());
    const run = prompts.length && prompts.every((prompt, place) => prompt === `[${place + 1}]:`);
    return run && document.querySelector(idle);
}"""


class NotebookPage:
    """A page with the console errors that it wrote, and the requests that left this machine."""

    def __init__(self, page):
        self.page = page
        self.console = []
        page.on("console", self._heard)
        page.on("pageerror", lambda fault: self._wrong(str(fault)))
        page.on("request", self._asked)

    def _heard(self, message):
        if message.type == "error":
            self._wrong(f"{message.text} {message.location.get('url', '')}")

    def _asked(self, request):
        if not LOCAL.match(request.url):
            self._wrong(f"asked for {request.url}")

    def _wrong(self, said):
        if not UPSTREAM.search(said):
            self.console.append(said)

    @contextmanager
    def opened(self, path, cells):
        """A notebook of so many cells, drawn to the last; afterwards it is saved and closed."""
        self.console.clear()
        self.page.wait_for_function("window.jupyterapp", timeout=MILLISECONDS)
        self.page.evaluate(OPEN, path)
        self.wait_for_cells(cells)
        yield
        self.page.evaluate(SAVE_AND_CLOSE)
        self.page.locator(".jp-Notebook").wait_for(state="detached")

    def wait_for_cells(self, count):
        """Until so many are drawn."""
        self.page.wait_for_function(ALL_DRAWN, arg=count, timeout=MILLISECONDS)

    def restart_and_run_all(self):
        """By the button of the toolbar, and the dialog that asks back."""
        self.page.locator(IDLE).wait_for(state="attached", timeout=MILLISECONDS)
        self.page.locator('[data-command="notebook:restart-run-all"]').first.click()
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self.page.locator(".jp-Dialog").wait_for(state="detached")
        self.page.wait_for_function(ALL_RUN, arg=IDLE, timeout=MILLISECONDS)

    def errors(self):
        return self.page.locator(ERRORS).all_inner_texts()

    def broken_images(self):
        """The sources of images that show nothing, or have no text."""
        return self.page.eval_on_selector_all(".jp-Notebook img", BROKEN)

    def text(self):
        """All text of the notebook, that which is folded away too."""
        return self.page.locator(".jp-Notebook").text_content()


class Explorer:
    """One explorer on a page that was run: the output of the code cell at this place."""

    def __init__(self, page, place):
        self.keyboard, self.mouse = page.page.keyboard, page.page.mouse
        self.page = page.page
        self.cell = page.page.locator(".jp-CodeCell").nth(place).locator(".jp-OutputArea")

    def text(self):
        return self.cell.text_content()

    def wait_for(self, text, *, whole=False, milliseconds=SOON):
        """Until the text stands there, in the picture's text form too; or is all that stands there."""
        self.page.wait_for_function(
            "([cell, text, whole]) => whole ? cell.textContent === text : cell.textContent.includes(text)",
            arg=[self.cell.element_handle(), text, whole],
            timeout=milliseconds,
        )

    def control(self, label):
        """The control of that label, or the boxes of all those labels."""
        if isinstance(label, list):
            return Boxes(self, label)
        found = self.cell.get_by_label(label, exact=True)
        kind = found.evaluate("each => each.tagName === 'SELECT' ? 'select' : each.type")
        return {"select": Choice, "number": Number}.get(kind, Line)(self, found)

    def tabbed(self):
        """The labels of what the Tab key reaches, from the first control on."""
        self.cell.locator("input, select, button").first.focus()
        labels = []
        while self.page.evaluate("cell => cell.contains(document.activeElement)", self.cell.element_handle()):
            labels.append(self.page.evaluate("document.activeElement.labels?.[0]?.textContent || ''"))
            self.keyboard.press("Tab")
        return labels


class Line:
    """A line of text."""

    def __init__(self, explorer, found):
        self.explorer, self.found = explorer, found
        self.keyboard, self.mouse = explorer.keyboard, explorer.mouse

    def value(self):
        return self.found.input_value()

    def focus(self, hand):
        self.found.click() if hand == "mouse" else self.found.focus()

    def move(self, value, hand):
        self.focus(hand)
        self.keyboard.press("Control+a")
        self.keyboard.press("Delete")
        self.keyboard.insert_text(value)


class Choice(Line):
    """One of several; the list that a click opens is the system's, so the mouse's choice is Playwright's."""

    def value(self):
        return self.found.evaluate("each => each.selectedOptions[0].textContent").replace("\xa0", " ")

    def move(self, value, hand):
        value = value.replace(" ", "\xa0")
        if hand == "mouse":
            self.found.select_option(value)
            return
        self.focus(hand)
        step = self.found.evaluate(
            "(each, text) => [...each.options].findIndex(option => option.text === text) - each.selectedIndex", value
        )
        for _ in range(abs(step)):
            self.keyboard.press("ArrowDown" if step > 0 else "ArrowUp")


class Number(Line):
    """A whole number: its arrows, or those of the keyboard."""

    def value(self):
        return int(self.found.input_value())

    def move(self, value, hand):
        self.focus(hand)
        for _ in range(abs(value - self.value())):
            up = value > self.value()
            if hand == "mouse":
                box = self.found.bounding_box()
                self.mouse.click(box["x"] + box["width"] - 10, box["y"] + box["height"] * (0.3 if up else 0.7))
            else:
                self.keyboard.press("ArrowUp" if up else "ArrowDown")


class Boxes:
    """Boxes to tick, by their labels; the value is the labels of the ticked ones."""

    def __init__(self, explorer, group):
        self.explorer, self.group = explorer, group

    def value(self):
        return [label for label in self.group if self._box(label).is_checked()]

    def _box(self, label):
        return self.explorer.cell.get_by_label(label, exact=True)

    def move(self, value, hand):
        for label in self.group:
            if self._box(label).is_checked() != (label in value):
                if hand == "mouse":
                    self._box(label).click()
                else:
                    self._box(label).focus()
                    self.explorer.keyboard.press("Space")

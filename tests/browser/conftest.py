import os
import shutil

import pytest

from boundary_lab.nets import CHECKOUT
from browser.pages import NotebookPage
from browser.servers import serving, with_notebooks

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
TALL = {"width": 1250, "height": 12_000}  # JupyterLab draws the cells that are in sight
SHOTS = CHECKOUT / "build" / "screenshots"


@pytest.fixture(scope="package")
def chromium():
    """One browser for all tests; without any they skip, but not where `CI` is set."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright cannot be loaded on this system")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and not os.environ.get("CI"):
        pytest.skip("no Chromium on this machine: the browser tests are left out")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def lab(tmp_path_factory):
    """The address of JupyterLab as `make lab` starts it, with a token in it."""
    folder = with_notebooks(tmp_path_factory.mktemp("lab"))
    with serving(folder, "boundary_lab.teach.lab", "--IdentityProvider.token=t") as address:
        yield f"{address}/lab/tree/notebooks/{{}}?token=t&reset"


@pytest.fixture(scope="package")
def new_page(chromium):
    """Makes a page with a browser profile of its own, as tall as the longest lesson."""
    return lambda: NotebookPage(chromium.new_context(viewport=TALL).new_page())


@pytest.fixture
def page(new_page):
    page = new_page()
    yield page
    page.page.context.close()


@pytest.fixture(scope="package")
def keep():
    """Keeps a screenshot, for a person to look at."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    return lambda page, name: page.page.screenshot(path=SHOTS / f"{name}.png")

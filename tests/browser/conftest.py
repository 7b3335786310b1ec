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
def new_page(chromium):
    """Makes a page as tall as the longest lesson; all are of one browser profile, which keeps what it has loaded."""
    profile = chromium.new_context(viewport=TALL)
    return lambda: NotebookPage(profile.new_page())


@pytest.fixture
def page(new_page):
    page = new_page()
    yield page
    page.page.close()


@pytest.fixture(scope="package")
def lab(new_page, tmp_path_factory):
    """JupyterLab as `make lab` starts it: one page, in which the notebooks are opened one after the other."""
    folder = with_notebooks(tmp_path_factory.mktemp("lab"))
    options = ("--IdentityProvider.token=t", "--LabApp.expose_app_in_browser=True")
    with serving(folder, "boundary_lab.teach.lab", *options) as address:
        page = new_page()
        page.page.goto(f"{address}/lab?token=t&reset")
        yield page


@pytest.fixture(scope="package")
def keep():
    """Keeps a screenshot, for a person to look at."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    return lambda page, name: page.page.screenshot(path=SHOTS / f"{name}.png")

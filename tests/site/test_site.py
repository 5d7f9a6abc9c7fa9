"""The built site in a real browser: `./run site`, then `./run test -m site`."""

import contextlib
import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from docs.making.links import broken_links
from docs.making.places import ROOT, SITE

pytestmark = pytest.mark.site

WIDTHS = (360, 768, 1440)
# Elements that stick out of the window, those aside that scroll by themselves or lie in something that does.
WIDE = """
() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.body.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > wide + 1)
    .map((one) => one.tagName + "." + one.className + ": " + one.innerText?.slice(0, 40)).slice(0, 5);
}
"""

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
VIOLATIONS = """
async () => (await axe.run(document, { iframes: false, preload: false })).violations
  .map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`)
"""

# How bright the page is behind its text, from 0 to 255.
BRIGHTNESS = """
() => {
  const behind = [document.body, document.documentElement].map((one) => getComputedStyle(one).backgroundColor);
  const colour = behind.find((one) => one !== "rgba(0, 0, 0, 0)") ?? "rgb(255, 255, 255)";
  return colour.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part) / 3, 0);
}
"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def site():
    """The address of the site, served on this machine."""
    assert (SITE / "index.html").exists(), "there is no site: ./run site builds it"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def pages():
    """All pages of the site but the runs to watch, which have tests of their own."""
    found = (path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    return sorted(path for path in found if not path.startswith("scenes/") and path != "404.html")


@pytest.fixture(scope="module")
def window(browser):
    """One window for all pages, so that scripts and styles are loaded once."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context
    context.close()


@contextlib.contextmanager
def opened(window, address):
    """A page, with what it complained of and whom it asked."""
    one = window.new_page()
    one.set_default_timeout(60_000)
    complaints, hosts = [], set()
    one.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    one.on("pageerror", lambda error: complaints.append(str(error)))
    one.on("request", lambda request: hosts.add(request.url.split("/")[2] if "//" in request.url else ""))
    one.goto(address, wait_until="load")
    yield one, complaints, hosts
    one.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_has_its_theme_fits_complains_of_nothing_and_asks_nobody_else(browser, site, theme):
    from playwright.sync_api import TimeoutError as NeverCame

    wrong = []
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=theme)
    for page in pages():
        with opened(context, site + page) as (one, complaints, hosts):
            try:
                one.wait_for_function(f"(({BRIGHTNESS})() < 128) === {str(theme == 'dark').lower()}", timeout=5_000)
            except NeverCame:
                wrong.append(f"{page}: is not {theme}")
            one.add_style_tag(content="* { transition: none !important; animation: none !important; }")
            for width in WIDTHS:
                one.set_viewport_size({"width": width, "height": 900})
                found = one.evaluate(WIDE)
                wrong += [f"{page}, {width} wide: {element} sticks out" for element in found]
            wrong += [f"{page}: {complaint}" for complaint in complaints]
            wrong += [f"{page}: asked {host}" for host in hosts - {site.split("/")[2], ""}]
    context.close()
    assert wrong == []
    assert len(pages()) > 30


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of_on_any_page(browser, site, theme):
    if not AXE.exists():
        (pytest.fail if "CI" in os.environ else pytest.skip)("needs axe-core: cd web && npm ci")
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=theme, bypass_csp=True)
    wrong = []
    for page in [*pages(), "scenes/order.html", "scenes/neutral.html", "scenes/lesson-neutral.html"]:
        with opened(context, site + page) as (one, _, _):
            one.add_style_tag(content="* { transition: none !important; animation: none !important; }")
            one.evaluate(AXE.read_text("utf-8"))
            wrong += [f"{page}: {violation}" for violation in one.evaluate(VIOLATIONS)]
    context.close()
    assert wrong == []


def test_the_choice_of_a_theme_reaches_the_run_on_the_page(browser, site):
    context = browser.new_context(color_scheme="light")
    with opened(context, site + "index.html") as (one, _, _):
        frame = one.frame_locator("iframe[src^='scenes/neutral.html']")
        frame.locator("html:not([data-theme=dark])").wait_for()
        one.locator("label[for^=__palette]:not([hidden])").first.click()
        frame.locator("html[data-theme=dark]").wait_for()
    context.close()


def test_the_front_page_plays_by_itself(window, site):
    with opened(window, site + "index.html") as (one, complaints, _):
        panel = one.frame_locator("iframe[src^='scenes/neutral.html']").locator(".panel[data-at]").first
        panel.wait_for()
        before = panel.get_attribute("data-at")
        one.wait_for_timeout(1_500)
        assert panel.get_attribute("data-at") != before
        assert complaints == []


def test_the_atlas_is_a_map_whose_squares_open(window, site):
    with opened(window, site + "atlas/atlas.html") as (one, complaints, _):
        squares = one.locator("#map button")
        assert squares.count() > 500
        squares.first.hover()
        assert one.locator("#tip").is_visible()
        one.locator("#map button.as-proved").first.click()
        assert one.locator("dialog[open] svg").count() == 2
        assert "gpruntime atlas --scale" in one.locator("#circumstances").text_content()
        assert complaints == []


@pytest.mark.parametrize(("theme", "scheme"), [("light", "default"), ("dark", "slate")])
def test_it_is_dark_where_the_reader_has_it_dark(browser, site, theme, scheme):
    context = browser.new_context(color_scheme=theme)
    with opened(context, site) as (one, complaints, _):
        one.wait_for_function(f"document.body.dataset.mdColorScheme === '{scheme}'")
        assert complaints == []
    context.close()


def test_a_run_on_the_model_page_plays(window, site):
    with opened(window, site + "model.html") as (one, complaints, _):
        frame = one.frame_locator("iframe[src^='scenes/order.html']")
        one.locator("iframe[src^='scenes/order.html']").scroll_into_view_if_needed()
        panel = frame.locator(".panel[data-at]")
        panel.wait_for()
        before = panel.get_attribute("data-at")
        frame.locator("[data-do='step']").click()
        one.wait_for_timeout(500)
        assert panel.get_attribute("data-at") != before
        assert complaints == []


def test_the_search_finds_a_word(window, site):
    with opened(window, site + "index.html") as (one, complaints, _):
        one.locator("input.md-search__input").click()
        one.locator("input.md-search__input").press_sequentially("parsimony")
        one.locator(".md-search-result__item").first.wait_for()
        assert complaints == []


def test_the_search_finds_a_word_in_a_folder(window):
    with opened(window, (SITE / "index.html").as_uri()) as (one, complaints, _):
        one.locator("input.md-search__input").click()
        one.locator("input.md-search__input").press_sequentially("parsimony")
        one.locator(".md-search-result__item").first.wait_for()
        assert complaints == []


def test_every_link_leads_somewhere():
    assert broken_links(SITE) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        "<p id=here></p><a href='#here'></a><a href='#gone'></a><a href='b.html'></a><a href='https://example.org'></a>"
        "<img src='c.png'><script src='https://example.org/d.js'></script><a href='a.html#at=5'></a>"
    )
    assert [line.split(": ", 1)[1] for line in broken_links(tmp_path)] == [
        "#gone: no such place on that page",
        "b.html leads nowhere",
        "c.png leads nowhere",
        "fetches https://example.org/d.js",
    ]

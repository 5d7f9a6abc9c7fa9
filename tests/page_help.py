"""What a reader of a page meets: tables that do not fit, numbers that are cut."""

SCREENS = (1920, 1280, 768, 390)
A4 = round((210 - 2 * 16) / 25.4 * 96)  # what the margins of the page leave, in CSS pixels

# Cells whose text is wider than they are, or that are cut off by what they lie in; tables wider than their box.
CUT = """
() => {
  const cut = [];
  const wide = document.documentElement.clientWidth;
  for (const table of document.querySelectorAll("table")) {
    if (table.scrollWidth > table.parentElement.clientWidth + 1) cut.push("table: " + table.innerText.slice(0, 60));
    for (const cell of table.querySelectorAll("th, td")) {
      const box = cell.getBoundingClientRect();
      if (cell.scrollWidth > Math.ceil(box.width) || box.right > wide + 1 || box.left < -1) cut.push(cell.innerText);
    }
  }
  return cut;
}
"""
OPEN = "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"
# Tables of which nothing is to be seen.
UNSEEN = """
() => [...document.querySelectorAll("table")].filter((table) => table.getBoundingClientRect().height < 10
  || !table.checkVisibility({contentVisibilityAuto: true})).length
"""


def opened(browser, path, width, **options):
    """A page in a window so wide."""
    page = browser.new_context(viewport={"width": width, "height": 900}, **options).new_page()
    page.goto(path.as_uri())
    return page


def what_is_cut(browser, path):
    """By screen or "print": what does not fit, with everything that can be unfolded unfolded."""
    found = {}
    for width in SCREENS:
        page = opened(browser, path, width)
        page.evaluate(OPEN)
        cut = page.evaluate(CUT)
        cut += ["the page"] * (page.evaluate("document.documentElement.scrollWidth") > width)
        if cut:
            found[width] = cut
        page.context.close()
    page = opened(browser, path, A4)
    page.emulate_media(media="print")
    cut = page.evaluate(CUT) + [f"{page.evaluate(UNSEEN)} tables are not printed"] * bool(page.evaluate(UNSEEN))
    if cut:
        found["print"] = cut
    page.context.close()
    return found

"""A page of another site leads the browser to an address of ours."""

from __future__ import annotations

import http.server
import threading
from urllib.parse import quote

import pytest

from tests.watch.page import needs_chromium


@pytest.mark.attack
@needs_chromium
def test_another_sites_page_cannot_have_a_file_loaded(browser, served, trap):
    """It leads the browser to an address of ours: the page asks its server what the address says."""
    file, _ = trap
    algorithm = quote(f"gp-single accept={file}:rule")
    address = f"{served.base}/#problem=order&algorithm={algorithm}&n=5"

    class Foreign(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(f"<title>a game</title><script>location = {address!r}</script>".encode())

        def log_message(self, *_):
            pass

    foreign = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=foreign.serve_forever, daemon=True).start()
    page = browser.new_page()
    try:
        asked = []
        page.on("response", lambda answer: asked.append((answer.url, answer.status)))
        page.goto(f"http://localhost:{foreign.server_port}/")
        page.wait_for_url(f"{served.base}/**")
        page.wait_for_function("() => document.body.innerText.includes('a page loads no file')")
        assert [status for url, status in asked if "/api/" in url and quote(str(file), safe="") in url] == [422]
    finally:
        page.close()
        foreign.shutdown()
        foreign.server_close()

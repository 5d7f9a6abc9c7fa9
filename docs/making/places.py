"""Where things are."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PARTS = ROOT / ".site"  # what is computed for the site, with the places it will have there
SITE = ROOT / "site"

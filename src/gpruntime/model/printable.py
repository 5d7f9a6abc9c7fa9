"""Words from outside, made fit for a terminal.

A plan, a folder's name, a tree, an exception may hold escape sequences that move the cursor or rename the window,
marks that turn the direction of writing around, line ends that fake a line of ours, or bytes that are no UTF-8. All
words that are shown go through here, and show such signs as Python writes them: \\x1b, \\u202e, \\n.
"""

from __future__ import annotations


def printable(text: object) -> str:
    """The text with everything escaped that is not to be seen itself; plain text stays as it is."""
    plain = str(text)
    return plain if plain.isprintable() else "".join(map(_shown, plain))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte of a word that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")

r"""Texts of others as people may see them.

Names in sources and compilers' words can hold anything: escapes, line breaks, marks that turn the direction of what follows. As everywhere
in labrys they are shown by what they are, `\x1b` or `\u{202e}`.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """The text with an escape for each control character and each invisible one."""

    def escape(match: re.Match[str]) -> str:
        found = match[0]
        if found in _NAMED:
            return _NAMED[found]
        return f"\\x{ord(found):02x}" if found.isascii() else f"\\u{{{ord(found):x}}}"

    return _HIDDEN.sub(escape, text)

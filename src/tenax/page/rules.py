"""What do the tree and the compiled pass both go by? Written once: `native/` is compiled with it.

Nothing but constants, and no imports: setup.py reads this before anything is installed. Each of
them becomes a constant in C under its own name (`native/header.py`), and an extension that was
compiled with others is not used. So to have the pass tell of one more tag or attribute is to name
it here.
"""

ATTRIBUTES = (
    "class", "content", "datetime", "hidden", "href", "hreflang", "http-equiv", "id", "itemprop",
    "lang", "media", "name", "property", "pubdate", "rel", "role", "shadowrootmode", "src", "title",
    "type", "xml:lang",
)  # fmt: skip
"""Those that anybody asks an element for that the pass tells of."""
LISTED = ("article", "base", "html", "iframe", "link", "meta", "script", "time", "title")
"""Tags of which every element is told."""
LISTED_WITH = (("abbr", "title"),)
"""Tags of which those elements are told that have an attribute: the first `MOST_TIMES`."""
LISTED_PROPERTIES = ("dateCreated", "dateModified", "datePublished", "uploadDate")
"""Values of `itemprop` for which an element is told whatever its tag: the first `MOST_TIMES`."""

SCRIPTS_TOLD = "application/ld+json"
"""The type of the scripts that are told of: the first `MOST_SCRIPTS`."""

MOST_METAS = 500
MOST_SCRIPTS = 20
MOST_TIMES = 50
MOST_TITLES = 20

UNSEEN_TAGS = ("script", "style", "noscript", "iframe")
LANDMARK_ROLES = ("banner", "complementary", "contentinfo", "navigation", "search")
OWN_SECTIONS = ("article", "main", "section")
LAYOUT_TAGS = ("center", "div", "form", "section", "table", "tbody", "td", "tr", "ul")
FRAME_NAMES = (
    "breadcrumb", "breadcrumbs", "cookie-banner", "footer", "header", "menu", "nav", "navbar",
    "navfooter", "navheader", "navigation", "page-footer", "page-header", "sidebar",
    "site-footer", "site-header", "site-nav", "topnav",
)  # fmt: skip
"""Classes and ids of what is around a page's own text."""
# Wrappers have few children and lie near the top; content has many and lies deep.
LAYOUT_DEPTH = 2
LAYOUT_CHILDREN = 24
FIRST_NODES = 9
"""Of the page, among which its body is looked for."""
MOST_LANDMARKS = 500
MOST_ANCESTORS = 50
LONG_TEXT = 2_048
"""Characters from which the words of a text are estimated."""
COUNTED = 256
"""Characters at its beginning, in its middle and at its end that speak for the rest."""

# SimHash: see similar.py.
LEAST_TEXT = 100
"""Bytes; about twenty words. What is shorter is a phrase that any page may have."""
ENOUGH_PIECES = 128
"""Pieces that are a fair sample of a text."""
PIECE_WINDOW = 12
"""Bytes of each that count: about as much as two or three words."""
MOST_FEATURES = 8_192
"""Features that count; of a longer text those with the lowest hashes, whoever computes them."""
MULTIPLIER = 0x9E3779B1

# What a text says: see sketch.py.
SAYS_WORDS = 0
SAYS_FIGURES = 1
SAYS_PROSE = 2
SAYS_BITS = 3
"""The last bits of a wording's hash, which tell what it is."""
SHORTEST_WORDING = 4
SHORTEST_WORD = 3
LONGEST_PHRASE = 48
"""Bytes of a line that is heard word by word: a heading, a price, a choice of filters."""
MOST_WORDINGS = 256
"""Of more hashes the lowest: two texts that share many wordings share many of those."""

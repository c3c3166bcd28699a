"""What do the tree and the compiled pass both go by? Written once: `native/` is compiled with it.

Nothing but constants, and no imports: setup.py reads this before anything is installed. Each of
them becomes a constant in C under its own name (`native/header.py`), and an extension that was
compiled with others is not used. So to have the pass tell of one more tag or attribute is to name
it here.
"""

ATTRIBUTES = (
    "class", "content", "datetime", "hidden", "href", "http-equiv", "id", "itemprop", "lang",
    "name", "property", "pubdate", "rel", "role", "shadowrootmode", "title", "type", "xml:lang",
)  # fmt: skip
"""Those that anybody asks an element for that the pass tells of."""
LISTED = ("article", "base", "html", "link", "meta", "script", "time", "title")
"""Tags of which every element is told."""
LISTED_WITH = (("abbr", "title"),)
"""Tags of which those elements are told that have an attribute: the first `MOST_TIMES`."""
LISTED_PROPERTIES = ("dateCreated", "dateModified", "datePublished", "uploadDate")
"""Values of `itemprop` for which an element is told whatever its tag: the first `MOST_TIMES`."""

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
MOST_LANDMARKS = 500
MOST_ANCESTORS = 50
LONG_TEXT = 2_048
"""Characters from which the words of a text are estimated."""
COUNTED = 256
"""Characters at its beginning, in its middle and at its end that speak for the rest."""

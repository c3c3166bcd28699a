"""Which registrable domain does a host name belong to?"""

from __future__ import annotations

from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList

from tenax.urls.addresses import literal_address


@lru_cache(maxsize=16_384)
def registrable_domain(hostname: str) -> str:
    """`shop.example.co.uk` → `example.co.uk`; `me.github.io` stays, its owner is not GitHub.

    Addresses, single labels and public suffixes are their own domain. Names are expected as
    the URL parser gives them: lower case and in punycode.
    """
    name = hostname.removesuffix(".") or hostname
    if "." not in name or literal_address(name):
        return name
    return _suffixes().privatesuffix(name) or name


@cache
def _suffixes() -> PublicSuffixList:
    """Loaded on first use: a tenth of a second that a crawl of one host need not spend."""
    return PublicSuffixList()

"""Are the copies of a site that benchmarks crawl sites of their own?"""

from __future__ import annotations

from bench.site import reworded

PAGE = b"""<html><head><title>Zoo &amp; park</title><script>if (a < b) go("abc")</script></head>
<body class="a"><p>Feed the <a href="apes.html#e">apes</a></p></body></html>"""


def test_a_copy_says_all_in_other_words_and_leads_to_the_same() -> None:
    assert reworded(PAGE, 1) == PAGE.replace(b"Zoo", b"Zpp").replace(b" park", b" qbsl").replace(
        b"Feed the ", b"Fffe uif "
    ).replace(b">apes<", b">bqft<")


def test_no_copy_says_what_another_says() -> None:
    assert len({reworded(PAGE, copy) for copy in range(6)}) == 6

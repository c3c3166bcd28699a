"""Which URLs name files that hold no text."""

from __future__ import annotations

import pytest

from tenax.urls.filetypes import binary_extension


@pytest.mark.parametrize(
    ("path", "extension"),
    [
        ("/a/photo.jpg", "jpg"),
        ("/a/PHOTO.JPG?size=2", "jpg"),
        ("/style.min.css", "css"),
        ("/app.js;v=2", "js"),
        ("/backup.tar.gz", "gz"),
        ("/paper.pdf", "pdf"),
    ],
)
def test_binary_files_are_known_by_their_extension(path: str, extension: str) -> None:
    assert binary_extension(path) == extension


@pytest.mark.parametrize(
    "path",
    ["/", "/a", "/a.html", "/feed.xml", "/v1.2/", "/photo.jpg/", "/photo.jpg/comments",
     "/view?file=photo.jpg", "/jpg", "/.htaccess", "/a.", "/wiki/Node.js", "/wiki/File:Moon.jpg",
     "/index.php/File:Moon.jpg", "/whois/example.com"],
)  # fmt: skip
def test_pages_pass(path: str) -> None:
    assert binary_extension(path) is None

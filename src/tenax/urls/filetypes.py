"""Does a URL name a file that holds no text to read?"""

from __future__ import annotations

BINARY_EXTENSIONS = frozenset({
    "avif", "bmp", "cur", "gif", "heic", "heif", "ico", "jfif", "jp2", "jpe", "jpeg", "jpg", "jxl",
    "png", "psd", "svg", "svgz", "tif", "tiff", "webp",
    "3gp", "avi", "f4v", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "vob",
    "webm", "wmv",
    "aac", "aif", "aiff", "flac", "m3u8", "m4a", "mid", "midi", "mka", "mp3", "oga", "ogg", "opus",
    "wav", "wma",
    "7z", "bz2", "cpio", "dmg", "gz", "iso", "jar", "lz4", "lzma", "rar", "tar", "tbz2", "tgz",
    "txz", "war", "xz", "zip", "zst",
    "apk", "appimage", "bin", "deb", "dll", "exe", "ipa", "msi", "msix", "msu", "pkg", "pyc",
    "rpm", "whl", "xpi",
    "eot", "otf", "ttc", "ttf", "woff", "woff2",
    "css", "js", "mjs", "sass", "scss", "swf", "wasm",
    "accdb", "doc", "docm", "docx", "dotx", "mdb", "odg", "odp", "ods", "odt", "potx", "pps",
    "ppsx", "ppt", "pptm", "pptx",
    "vsd", "vsdx", "xls", "xlsb", "xlsm", "xlsx", "xltx",
    "azw", "azw3", "djvu", "epub", "mobi", "pdf",
    "blend", "dwg", "dxf", "fbx", "parquet", "sqlite", "stl", "torrent",
})  # fmt: skip
"""Only what is hardly ever a page. Country codes are left out: /whois/example.so is one."""


READ_WITH_AN_EXTRA = "pdf"


def binary_extension(path_and_query: str) -> str | None:
    """The extension of the last path segment when it promises a binary file."""
    path = path_and_query.partition("?")[0]
    last = path.rpartition("/")[2].partition(";")[0]
    name, dot, extension = last.rpartition(".")
    if not dot or extension.lower() not in BINARY_EXTENSIONS:
        return None
    # Wikis call pages after files and products: /wiki/File:Moon.jpg, /wiki/Node.js.
    return None if ":" in name or "/wiki/" in path else extension.lower()

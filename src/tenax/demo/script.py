"""What is a page that needs JavaScript like? An empty shell; content and links come later."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypedDict

from tenax.demo.site import Reply, Site, SiteRequest
from tenax.demo.truth import Rendered, Truth
from tenax.demo.words import TOWN, Dice, paragraph

ROOMS = {
    "": "The boat club",
    "boats": "Boats",
    "tides": "Tides",
    "crew": "Crew",
    "moorings": "Moorings",
}
FETCHED = ("tides", "crew")
"""These ask /data/*.json for their content; the others carry it in the page."""


class Content(TypedDict):
    title: str
    text: list[str]
    links: list[list[str]]


@dataclass
class ScriptSite(Site):
    """It has no robots.txt: 404, which allows everything."""

    name: str = "script"
    title: str = "Merrow Boat Club"
    tagline: str = "Made in the browser."

    def answer(self, request: SiteRequest) -> Reply:
        match request.segments:
            case [room] if room in ROOMS:
                return self._shell(room)
            case ["data", file] if file.endswith(".json") and (room := file[:-5]) in FETCHED:
                return Reply(json.dumps(_content(room)).encode(), kind="application/json")
            case _:
                return self.missing()

    def truth(self) -> Truth:
        rendered = {self.at(f"/{room}"): self._rendered(room) for room in ROOMS}
        return Truth(
            front=self.url,
            garbage={self.url: "needs_javascript"},
            hidden={"script": frozenset(rendered)},
            rendered=rendered,
        )

    def _rendered(self, room: str) -> Rendered:
        content = _content(room)
        links = tuple(self.at(href) for href, _ in content["links"])
        return Rendered(content["title"], "\n\n".join(content["text"]), links)

    def _shell(self, room: str) -> Reply:
        if room in FETCHED:
            start = f"fetch('/data/{room}.json').then(answer => answer.json()).then(show);"
            data = ""
        else:
            start = "show(JSON.parse(document.getElementById('data').textContent));"
            data = (
                f'<script type="application/json" id="data">{json.dumps(_content(room))}</script>\n'
            )
        html = (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>{self.title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
            '<div id="app"></div>\n'
            "<noscript>Please enable JavaScript to use this site.</noscript>\n"
            f"{data}<script>\n{_SHOW}{start}\n</script>\n</body>\n</html>\n"
        )
        return Reply(html.encode())


def _content(room: str) -> Content:
    dice = Dice("script", room)
    return {
        "title": ROOMS[room],
        "text": [paragraph(dice, TOWN) for _ in range(4)],
        "links": [[f"/{each}", label] for each, label in ROOMS.items() if each != room],
    }


_STYLE = "body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}"
_SHOW = """\
function show(content) {
  const app = document.getElementById('app');
  const make = (tag, text) => Object.assign(document.createElement(tag), {textContent: text});
  const add = (tag, text) => app.appendChild(make(tag, text));
  document.title = content.title;
  add('h1', content.title);
  content.text.forEach(text => add('p', text));
  content.links.forEach(([href, label]) => { add('a', label).href = href; add('span', ' '); });
}
"""

"""Does the client speak with a real server as its types say?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import UNSET

from tenax.client import ApiClient, ApiError
from tenax.model import JobState, State
from tenax.ops.plain import plain, understood
from tenax.ops.why.story import Story
from tests.api_fuzz import serving


@pytest.fixture
def client(tmp_path: Path) -> Iterator[ApiClient]:
    with serving(tmp_path) as served, ApiClient(served.url, served.key) as made:
        yield made


def test_a_job_from_its_preview_to_its_end(client: ApiClient) -> None:
    urls = ["https://a.example/x", "https://b.example/"]
    preview = client.preview_job(urls, seeds=["https://a.example/"])
    assert [each.taken for each in preview.items] == [True, True, False]
    assert (preview.items[0].reason, preview.items[2].reason) == ("", "out_of_scope")
    made = client.create_job("new", seeds=["https://a.example/"], max_pages=5)
    assert (made.job, made.state, made.states[State.PENDING]) == ("new", JobState.STOPPED, 1)
    assert abs(made.created_at - time.time()) < 3_600
    assert client.start("new").state is JobState.RUNNING
    assert client.pause("new").state is JobState.PAUSED
    assert client.change_job("new", max_pages=6).spec.max_pages == 6
    assert [each.job for each in client.jobs()] == ["prices", "new"]
    detail = client.job("new")
    assert (detail.spec.seeds, detail.ended_at) == (("https://a.example/",), None)
    (url,) = client.urls(job="new", limit=1)
    assert (url.url, url.state, url.reason) == ("https://a.example/", State.PENDING, "")
    story = client.why("https://a.example/", "new")
    assert (story.jobs[0].job, story.jobs[0].target is not None) == ("new", True)
    assert understood(Story, plain(story)) == story


def test_lists_go_on_to_their_end(client: ApiClient) -> None:
    for number in range(5):
        client.create_job(f"job-{number}", seeds=["https://a.example/"])
    assert len(list(client.all("/api/jobs", dict, limit=2))) == 6
    for found in (client.pages(), client.products(), client.dead_letters(), client.visits()):
        assert list(found) == []


def test_what_is_refused_says_why(client: ApiClient) -> None:
    with pytest.raises(ApiError) as none:
        client.job("no such job")
    assert (none.value.status, none.value.detail[:15]) == (404, "There is no job")
    with pytest.raises(ApiError) as wrong:
        client.create_job("x", seds=["https://a.example/"])
    assert wrong.value.problem["errors"][0]["why"].endswith("Did you mean seeds?")
    dry = client.return_letters(all=True, dry_run=True)
    assert (dry.returned, dry.faults) == (0, {})
    assert client.purge_letters(all=True).faults is UNSET


def test_a_key_that_is_none_opens_nothing_and_an_address_that_is_none_is_told(
    tmp_path: Path,
) -> None:
    with serving(tmp_path) as served, ApiClient(served.url, "tnx_none") as stranger:
        with pytest.raises(ApiError) as refused:
            next(stranger.jobs())
        assert refused.value.status == 401
    for address in ("127.0.0.1:8080", "ftp://a.example", ""):
        with pytest.raises(ValueError, match="no address of an API"):
            ApiClient(address)

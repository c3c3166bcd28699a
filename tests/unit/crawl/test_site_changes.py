"""Does admission forget what rules of sites decided, once they are others? (HOST-7)"""

from __future__ import annotations

from tenax.crawl.admit import Admission
from tenax.model import Job, JobSpec, JobState, Page, Reason, SiteRules
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door
from tenax.urls.sites import Sites

NOW = 1_790_000_000.0
HOME = "https://a.example/"


def test_a_link_that_was_excluded_is_taken_when_it_no_longer_is_and_the_other_way_round() -> None:
    sites = Sites()
    spec = JobSpec(seeds=(HOME,))
    job = Job(1, "test", JobState.RUNNING, spec, NOW)
    admission = Admission(job, Door(spec, AddressRules(()), NOW, sites))
    page = Page(HOME, 200, "text/html", b"", NOW, links=("/tag/1",))
    sites.heed(1, [SiteRules("a.example", exclude=("*/tag/*",))])
    for _ in range(2):
        offer = admission.offer_page(page, 0, 1)
        assert (offer.found, offer.rejected) == ((), {Reason.EXCLUDED: 1})
    sites.heed(2, [])
    assert [target.url for target in admission.offer_page(page, 0, 1).found] == [f"{HOME}tag/1"]
    sites.heed(3, [SiteRules("a.example", exclude=("*/tag/*",))])
    assert admission.offer_page(page, 0, 1).rejected == {Reason.EXCLUDED: 1}

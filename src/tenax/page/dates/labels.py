"""What is said beside a day: that it is the first one, a later one, another thing's? In the
languages that pages are written in.
"""

from __future__ import annotations

import re
from typing import Final

from tenax.page.for_sale.needles import Needles

# That something was published then.
_FIRST: Final = (
    "publish", "publié", "publicad", "publicat", "publication date", "publicerad", "publisert",
    "publikov", "posted", "submitted", "veröffentlicht", "erschienen", "pubblicat", "gepubliceerd",
    "geplaatst", "opublikowan", "публикован", "ата публ", "发布", "發布", "发表", "發表", "公開",
    "投稿", "掲載", "기사입력", "게시", "등록일", "yayın", "udgivet", "julkaistu", "zveřejn",
    "közzé", "megjelen", "ημοσι", "نشر", "פורסם", "ăng lúc", "ăng ngày", "diterbitkan",
    "publizier", "erstellt", "eingestellt am", "online seit", "mis en ligne", "mise en ligne",
    "created on", "written on", "inserit", "dodano", "vytvořeno", "vloženo",
)  # fmt: skip
_NEEDLES = Needles(_FIRST)
LATER = re.compile(
    r"(?i)updat|modif|revis|review|edited|amended|as of|aktualis|geändert|überarbeitet|mis à jour"
    r"|mise à jour|actuali[sz]|aggiorna|atuali[sz]|bijgewerkt|gewijzigd|aktuali[sz]|zmodyf|обновл"
    r"|изменен|оновл|更新|編集|수정|업데이트|güncel|uppdater|opdater|oppdater|päivitetty|muokattu"
    r"|změn|zmien|frissít|módosít|ενημ|actualizat|تحديث|עודכן|修改|ändrad|ændret|endret|cập nhật"
    r"|diperbarui|\bstand:"
)
"""That it is not the first one."""
OTHERS = re.compile(
    r"(?i)copyright|©|joined|member since|registered|expires?|valid|until|deadline|closing date"
    r"|event|starts?\b|ends?\b|born|founded|since\b|(?<!press )(?<!immediate )release|gültig"
    r"|beigetreten|mitglied seit|registriert|inscrit|registrado|effective|in kraft"
    r"|\bapply\b|\bdue\b|\bwhen\b|\bdied\b"
)
"""That it is not the page's."""
OF_READERS: Final = (
    "comment", "review", "kommentar", "bewertung", "avis", "reseña", "comentari", "opini",
    "recension", "отзыв", "коммент", "コメント", "レビュー", "评论", "評論", "댓글",
)  # fmt: skip
"""Before it: that it is of what readers wrote below a text, or of a product."""
SPAN = re.compile(r"\s*(?:[-\u2013\u2014]|to|bis|au|al|do|до)\s*")
"""Between two days: that something begins and ends with them."""
WEEKDAY = re.compile(
    r"(?i)[\s,(]*(?:mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|lun|mar|mer|jeu|ven|dim"
    r"|mi[eé]|jue|vie|s[aá]b|dom|gio|seg|ter|qua|qui|sex|maa|din|woe|vri|zat|zon|pon|wto|śro|czw"
    r"|pią|sob|nie|пон|вто|сре|чет|пят|суб|вос|[пв][нтс]\b|ср\b|чт\b|сб\b|paz|sal|çar|per|cum"
    r"|mån|tis|ons|tor|l[öø]r|s[öø]n|man|tir|úte|stř|čtv|pát|hét|ked|sze|csü|pén)"
    r"[^\W\d_]{0,11}[.,)\s]*"
)
"""The day of the week, by its beginning: it says nothing of a date."""


def first_words_in(lines: bytes) -> list[str]:
    """Those that say of a day that it is the first one: few pages have any."""
    return [_FIRST[place] for place in _NEEDLES.within(lines)]

"""What are the months called, in full and cut short, in the languages that pages are written in?

As they stand in a date: inflected, where a language does that. A name that means one month here
and another one there (Polish and Croatian `listopada`) is that of the language more pages have.
"""

from __future__ import annotations

from typing import Final

_NAMES: Final = (
    # January
    "january januar januari janvier enero gennaio janeiro gener ianuarie stycznia styczeń января"
    " январь січня януари januára ledna leden január siječnja sausio janvāris jaanuar"
    " tammikuuta tammikuu janúar ocak ιανουαρίου ιανουάριος يناير جانفي ינואר"
    " jan janv ene gen ian sty янв січ led oca ιαν tammi jän jänner",
    # February
    "february februar februari février fevrier febrero febbraio fevereiro febrer februarie lutego"
    " luty февраля февраль лютого февруари února únor februára február veljače vasario februāris"
    " veebruar helmikuuta helmikuu febrúar şubat subat φεβρουαρίου φεβρουάριος فبراير شباط"
    " فيفري פברואר"
    " feb febr fév fev févr lut фев февр лют úno şub φεβ helmi",
    # March
    "march märz maerz mars marzo março marco març martie marca marzec марта март березня března"
    " březen március márc ožujka kovo marts märts maaliskuuta maaliskuu mart μαρτίου"
    " μάρτιος مارس آذار maret"
    " מרץ maart mar mrt mär mrz мар бер bře μαρ maalis",
    # April
    "april avril abril aprile aprilie kwietnia kwiecień апреля апрель квітня април dubna duben"
    " apríla április travnja balandžio aprīlis aprill huhtikuuta huhtikuu apríl nisan απριλίου"
    " απρίλιος أبريل ابريل نيسان أفريل אפריל apr avr abr kwi апр кві dub nis απρ huhti",
    # May
    "may mai mayo maggio maio maig maja maj мая май травня mei května květen mája május svibnja"
    " gegužės maijs toukokuuta toukokuu maí mayıs mayis μαΐου μαίου μάιος مايو أيار מאי mag тра kvě"
    " máj μαι touko",
    # June
    "june juni juin junio giugno junho juny iunie czerwca czerwiec июня июнь червня юни června"
    " červen júna június lipnja birželio jūnijs juuni kesäkuuta kesäkuu júní haziran ιουνίου"
    " ιούνιος يونيو حزيران جوان יוני jun giu iun cze июн чер jún haz ιουν kesä",
    # July
    "july juli juillet julio luglio julho juliol iulie lipca lipiec июля июль липня юли července"
    " červenec júla július srpnja liepos jūlijs juuli heinäkuuta heinäkuu júlí temmuz ιουλίου"
    " ιούλιος يوليو تموز جويلية יולי jul juil lug iul lip июл лип júl tem ιουλ heinä",
    # August
    "august août aout agosto agost sierpnia sierpień августа август серпня srpna srpen augusta"
    " augusztus kolovoza rugpjūčio augusts elokuuta elokuu ágúst ağustos agustos αυγούστου"
    " αύγουστος أغسطس أوت אוגוסט augustus augusti aug aoû ago sie авг сер srp ağu αυγ elo",
    # September
    "september septembre septiembre setiembre settembre setembro setembre septembrie września"
    " wrzesień сентября сентябрь вересня септември září septembra szeptember rujna rugsėjo"
    " septembris syyskuuta syyskuu eylül eylul σεπτεμβρίου σεπτέμβριος سبتمبر أيلول ספטמבר"
    " sep sept set"
    " wrz сен сент вер zář szept eyl σεπ syys",
    # October
    "october oktober octobre octubre ottobre outubro octombrie października październik октября"
    " октябрь жовтня октомври října říjen októbra október spalio oktobris oktoober lokakuuta"
    " lokakuu ekim οκτωβρίου οκτώβριος أكتوبر اكتوبر אוקטובר oct okt ott out paź окт жов říj eki"
    " οκτ loka",
    # November
    "november novembre noviembre novembro noiembrie listopada listopad ноября ноябрь листопада"
    " ноември novembra studenoga studenog lapkričio novembris marraskuuta marraskuu nóvember kasım"
    " kasim νοεμβρίου νοέμβριος نوفمبر נובמבר nov lis ноя лис kas νοε marras",
    # December
    "december dezember décembre decembre diciembre dicembre dezembro desembre decembrie grudnia"
    " grudzień декабря декабрь грудня декември prosince prosinec decembra prosinca gruodžio"
    " decembris detsember joulukuuta joulukuu desember aralık aralik δεκεμβρίου δεκέμβριος ديسمبر"
    " דצמבר dec dez déc dic des gru дек гру pro ara δεκ joulu",
)

MONTHS: Final = {name: month for month, names in enumerate(_NAMES, 1) for name in names.split(" ")}
"""Its number by its name in small letters, without a point."""

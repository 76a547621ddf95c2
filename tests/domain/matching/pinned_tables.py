"""What the engine's own parts say, as tables with a line per input.

`python -m tests.domain.matching.pinned_tables` writes them anew. What differs after a change is read line by line
before it is committed, as the decisions of the worlds are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any, Final

from paymatch.domain.matching.calibrate import calibrate
from paymatch.domain.matching.catalogue import CATALOGUE
from paymatch.domain.matching.families.number_finder import number_weight
from paymatch.domain.matching.model import Delay
from paymatch.domain.matching.prepare import KeyKind
from paymatch.domain.matching.rank.delays import Delays
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import (
    Name,
    compare,
    has_surname,
    one_error,
    pair_words,
    parse_name,
    single_words,
    words_alike,
)
from paymatch.domain.matching.text.numbers import Form, forms_of, is_calendar_date
from paymatch.domain.matching.text.payers import fee_kind_of, is_public_name
from paymatch.domain.matching.text.reading import Number, is_inner, letter_numbers, numbers_in, read_text
from paymatch.domain.matching.text.stated import stated_fee
from paymatch.domain.matching.text.wording import RemittanceSignals
from paymatch.domain.matching.weigh.ages import delay_density, delay_weight
from paymatch.domain.matching.weigh.amounts import (
    Fit,
    Terms,
    in_order_currency,
    in_posting_currency,
    instructed_minor,
    is_rate_inverted,
    relate,
    relate_exchanged,
    relate_instructed,
)
from paymatch.domain.words.message import Message
from tests.domain.matching.pinned_batches import BATCHES
from tests.domain.matching.pinned_decisions import DECISIONS
from tests.domain.matching.pinned_drawn import DRAWN
from tests.domain.matching.pinned_found import FOUND
from tests.domain.matching.pinned_readings import READINGS
from tests.domain.matching.world import order, posting

FOLDER: Final = Path(__file__).parent / "pinned" / "tables"
DAY: Final = date(2026, 3, 9)

TEXTS: Final = """
BESTELLUNG 1834|BESTELLUNG#2058|BESTELLUNGSW-11304|SW-11304|SW 11304|SW11304|#1834|.1834|-1834|1834|834|34|0
01834|9|999|BESTELLUNG 34|BESTELLUNG 9|RECHNUNG 7|RECHNUNG 07|KUNDE 34|NR 834|NO 1834|BEST.-NR.:  19 18
R2 02 60 04 78|R-20 26/00692|R-24-117|R 24 117|R/24/117|R_24_117|R.24.117|R-24-117 UND R-24-118|RE-NR. 1834
KD.NR. 98480|ART 1834|SKU 1834|PAKET 1834|TEL. 1834|STEUERNR 1834|HAUPTSTR 18 10115 BERLIN
BESTELLUNG VOM 03.08.2026 NR 1834|RECHNUNG 1834 VOM 03.08.2026 1835|VOM 03.08.2026|VOM 20260308|20260308
08032026|10048291|RECHNUNG 2026|2026|2025|2024|2027|#2026|NR 2026|R 2026|BESTELLUNG 20260308
RF18 5390 0754 7034|RF18539007547034|RF2 512 140 111 005 039|RF.77.05.32.10.70.00.49.35
R F 9 8 4 5 7 7 5 4 7 0 0 0 5 1 3 0|RF00123|21 00000 00003 13947 14300 09017|210000000003139471430009017
ESR 7004430000200350000071228|IBAN DE89 3704 0044 0532 0130 00|IBAN DE88 3704 0044 0532 0130 00
DE89370400440532013000 1834|+++090/9337/55493+++|***090/9337/55493***|+++090/9337/55494+++|VIVI_MOSEMANN85
GARTENSTAR978|GARTENSTAR_97|GARTENSTAR 97|ABC12|ABCD12|ABCDE 12|ABCD 1834|ABCDE 1834|ABCDEFG-1834|ABCDEF-1834
AMSTR 1834|FAKTU 1834|RECHT 1834|KLANT 1834|FACTU 1834|
BESTELLUNG VOM 20260308 NR 1835|RECHNUNG VOM 1834 1835|UM 09.30 UHR 1834|UM 0930 UHR|BE68539007547034
BE68 5390 0754 7034
A1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q7R8S9T0|A1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q7R8S9T0U|3 VOM 9.3.|17 1834 VOM 9.3. 7
SW-1O840|SW-I0840|4002L053|40O2|SW-10B40|O1834|A1B2C3|12A34|1834A|1834-A|A-1-B-2|X1|XY12|X-1834-26
302-1234567-1234567|302-1234567-1234567,303-7654321-7654321|1833/34/35|1833/34|1833, 34|1833 UND 34|1833 U 34
1833+34|1833-34|1833 DANKE 34|1833; 34|1833 & 34|18331 834|1833 1834 1835|1833 1834 1835 1836 1837 1838
1 2 3 4 5 6|12 34 56 78|1. 2. 3. 4|10480 104853|10480/104853|104.80|1045.22.104|10480.|10480.03.2026|00010480
0001 0480|000|R000|1 000 480|DATUM 13.04.2026, 09.29 UHR 17|24.09.|24.09. 1834|09.03.26 1834|31.02.2026
2026-08-03|2026-08-03 1834|1834 AM 9.3.|1834 VOM 9.3. FUER 12|3/4/2026 777|30.3. BIS 4.4. 1834|VIELEN DANK
123456789012345678901234567890123456789012|1834 1834|DANKE 2026|DANKE 2025|DANKE 2024|DANKE 2027|DANKE #2026
RF18539007547034 7|RF18539007547034 77|RF18539007547034 777|RF18539007547034 7777|1O2|O12|1O|L23|A1O2|12O|1O2O
000000000000012345678901238|000000000000001234567890128|000000000000123456789012343
1834 5|1834/5|1834,35,36|1834 BIS 36|12-1834|1834-12|(1834)|1834:|VOM 1834|UM 9.15 UHR 1834|9.15 1834
SW 10 840|SW-10 840|S W 10840|SWX10840|SWXYZ-10840|SWXYZABC-10840|RF 1834|R F 1834|R-F 1834|NR.10840/2|10840 / 2
DANKE NR 2026|BEST 1834 RECH 77|RECH 77 BEST 1834|KD 4711 BEST 1834|BESTELLUNG 12/34/56|F10840 R|F 10840 R
"""

NAMES: Final = """
Claire Gotthard/Gotthard Claire|Claire Gotthard/C. Gotthard|Claire Gotthard/Gotthard|Claire Gotthard/Claire
Claire Gotthard/Clara Gotthard|Claire Gotthard/Claire Gothard|Claire Gotthard/Claire Meier
Claire Gotthard/Hans Gotthard|Claire Gotthard/Hans Meier|Claire Gotthard/
Claire Gotthard/Frau Dr. Claire Gotthard|Claire Gotthard/Claire und Hans Gotthard
Claire Anna Gotthard/Claire Gotthard|Claire Gotthard/CLAIREGOTTHARD|Claire Gotthard/ClaireGotthard Meier
Jürgen Groß/JUERGEN GROSS|Jürgen Groß/Jurgen Gros|Jürgen Groß/J?rgen Gro?|M.ller Hans/Müller Hans
M.ller/Müller|Wagner OHG/F. Wagner|F. Wagner/G. Wagner|Àlvarez Éva/ALVAREZ EVA
Wagner OHG/Wagner|Wagner GmbH & Co. KG/Wagner|Wagner GmbH/Wagner Bau GmbH
Bau und Garten Wagner GmbH/Bau + Garten Wagner|W.J. Claassen/Wilhelm Claassen|WJ Claassen/Wilhelm Claassen
WJ Claassen/Jan Claassen|C G/Claire Gotthard|C. G./C. G.|A B C/Anna Berta Caesar|Li Wu/Wu Li
Li Wu Chen/Chen Li|Chen Wu Li/Li Chen Bo|C? Gotthard/C Gotthard|
van der Berg Jan/Jan Berg|Jan van den Berg/J. v. d. Berg|Maria Anna Huber/Anna Maria Hubert
Huber Maria/Hubert Maria|Hube Maria/Hubert Maria|Anna Lena Schmidt/Anna Schmidt-Meier
Anna Schmidt Meier/Anna Schmidt|Anna Schmidt/Berta Schmidt Meier|Eva Post/Kurier Huber GmbH|O2 GmbH/O2|3M/3M
"""

WORDS: Final = """
ZAHLUNG|MIETE|MIETKAUTION|KALTMIETE|GEHALTSABRECHNUNG|JAHRESBONUS|BONUS|SCHADENSREGULIERUNG|GUTSCHRIFT
GUTSCHRIFT AUFTRAGGEBER|ERSTATTUNG|SKONTO|ABZGL SKONTO|RATE|TEILZAHLUNG|BANKGEBUEHR|FEE|NACHNAHME|AUSZAHLUNG
RETOURE|STORNO RATE|SPENDE|SPENDENQUITTUNG|STROM|REFUND MITTEILUNGEN|DARLEHENSRATE|VERSICHERUNGSLEISTUNG
BETRIEBSKOSTENABRECHNUNG|RUECKZAHLUNG|ZINSGUTSCHRIFT|ENTGELT|PAYOUT FEE|PRAEMIE|ANZAHLUNG|KORTING
"""

PAYERS: Final = """
DHL Paket GmbH|DHL|Otto|Otto GmbH|Otto Seiler|Otto Payments|Otto Versand|Post|Eva Post
Amazon Payments Europe S.C.A.|PayPal Europe|Klarna Bank AB|Hermes|Hermes Huber|Hermes Germany|Stripe
Stripe Eva|Six|Wise|Wise Payments|Bol Com|Kurier Huber GmbH|Kurier Huber|Finanzamt Mitte|Stadtwerke Ulm
Allianz Versicherung|Eva Muster|Amazon DHL|Zalando SE|UPS Klarna
"""

FEES: Final = """
abzgl. Entgelt 12,40|fee 1,234.56|12 % Provision|Provision 12 %|Provision 12,5 %|12,5 % Provision 3,40
Provision 12 % 3,40|Provision: 12%: 3.40|Kosten 3|Kosten 3,4|Kosten 3,456|Kosten 3,40%|Gebuehr 1.234,56
Gebuehr 1'234.56|Gebuehr 1 234,56|Gebuehr 1234567,00|Gebuehr 123456,00|Gebuehr ......1,00|Gebuehr .......1,00
Entgelt 0,05 Entgelt 7,00|nichts|112 % Provision|1,5 Prozent Fee|frais 7.50|commission 7 percent
"""

ORDERS: Final = """
1834|01834|0|SW-11304|R-24-117|R-2026/00293|2026-104853|302-1234567-1234567|A-1|A-01|A-001|A-1001|AB|26-07|26-7|0-100
X-0010-B
"""
CALENDAR: Final = """
20260308|20241231|20231231|20281231|20291231|20260008|20260100|20260101|20261231|20261301|20260132|00012026|01002026
01012026|31122026|01132026|32012026|31122024|31122023|31122028|31122029|2026030|202603088|2026030A
"""
LETTERS: Final = """
XKTRQP|XKTR|DANKE XKTRQP|BESTELLUNG|ABCDEFGHIJKLM|AAAAB AAAAC AAAAD AAAAE AAAAF|AAAAB AAAAC AAAAD AAAAE AAAAF AAAAG
"""
ERRORS: Final = """
ABCD/ABCD|ABCD/ABDC|ABCD/BACD|ABCD/ABC|ABC/ABCD|ABCD/AXCD|ABCD/AB|ABCD/DCBA|ABCD/XBCD|ABCD/ABCX|ABCDE/ABCDX|A/ABCD
AB/ABCD|ABC/ABCD|ABCDEF/ABCDX|M.LER/MULER|M.L/MUL|MU.R/MULR|MULER/M?LER
"""
SINGLE: Final = "Anna Berta Caesar Dora|Anna Berta Caesar|A. Berta Li|Li|M.ller Anna|12 34|Frau Dr.|E.ON|e. K."

PAID: Final = (
    *(1, 20, 100, 300, 400, 500, 800, 833, 834, 1000, 2500, 3333, 3334, 5000, 7000, 7499, 7500, 8499, 8500, 9000, 9400),
    *(9399, 9500, 9499, 9600, 9700, 9750, 9800, 9799, 9801, 9850, 9899, 9900, 9901, 9970, 9999, 10000, 10001, 10030),
    *(10100, 10101, 10200, 10201, 10300, 10500, 10501, 11000, 15000, 19900, 20000, 20100, 25000, 25001, 30000, 1001),
)


def _list(text: str) -> list[str]:
    return [each.strip() for line in text.strip().splitlines() for each in line.split("|") if each.strip()]


def _number(number: Number) -> str:
    flags = [name for name in ("joined", "completed") if getattr(number, name)]
    more = [number.context.name] if number.context is not Context.NONE else []
    attached = [f"after {number.attached}"] if number.attached else []
    return " ".join([number.compact, f"{number.start}-{number.end}", str(number.digits), *more, *flags, *attached])


def _fit(fit: Fit) -> str:
    words = fit.reason.words
    return f"{fit.grade.name} {fit.kind.code} {fit.reason.weight} {words.code if isinstance(words, Message) else words}"


def numbers() -> Iterator[str]:
    """Every reading of the numbers in a text, with their places; the dates in it; which are parts of longer ones."""
    for text in _list(TEXTS):
        found, dates = read_text(text, DAY)
        inner = [number.compact for number in found if is_inner(text, number)]
        days = [date.fromordinal(day).isoformat() for day in sorted(dates)]
        more = [f"days {' '.join(days)}"] if days else []
        more += [f"inner {' '.join(inner)}"] if inner else []
        yield f"{text} -> {'; '.join([*map(_number, found), *more])}"
    for source, offset in (("end-to-end", 0), ("text", 7)):
        for text in ("1834", "SW-1834", "RECHNUNG 18 34", "+++090/9337/55493+++"):
            yield f"{text} {source} {offset} -> {'; '.join(map(_number, numbers_in(text, DAY, source, offset)))}"
    for text in _list(LETTERS):
        yield f"letters {text} -> {'; '.join(map(_number, letter_numbers(text)))}"
    for digits in _list(CALENDAR):
        yield f"date {digits} -> {is_calendar_date(digits, DAY)}"


def forms() -> Iterator[str]:
    """How a number of an order may be written."""
    for number in _list(ORDERS):
        yield f"{number} -> {', '.join(f'{text} {form.name}' for text, form in sorted(forms_of(number).items()))}"


def _looked_up(name: Name) -> str:
    return f"{' '.join(name.words)}; {', '.join(pair_words(name))}; {', '.join(single_words(name))}"


def names() -> Iterator[str]:
    """How alike two names are, both ways, and what each is looked up by."""
    for pair in _list(NAMES):
        one, _, other = pair.partition("/")
        mine, yours = parse_name(one), parse_name(other)
        alike = f"{compare(mine, yours).name} {compare(yours, mine).name}"
        yield f"{pair} -> {alike} {has_surname([mine], [yours])} {has_surname([yours], [mine])}"
        flags = f"{'company ' * mine.company}{'damaged ' * mine.damaged}"
        yield f"  {one} -> {flags}{_looked_up(mine)}"
    for text in _list(SINGLE):
        yield f"  {text} -> {_looked_up(parse_name(text))}"
    for pair in _list(ERRORS):
        one, _, other = pair.partition("/")
        yield f"one error {pair} -> {one_error(one, other)} {one_error(other, one)}"
        yield f"alike {pair} -> {words_alike(one, other)} {words_alike(other, one)}"


def amounts() -> Iterator[str]:
    """How an amount paid fits: of an open order, one that is partly paid, a settled one, and under other terms."""
    plain = RemittanceSignals(frozenset())
    terms = {
        "": Terms(100, plain),
        "fee ": Terms(100, RemittanceSignals(frozenset({"GEBUEHR"}))),
        "discount ": Terms(100, RemittanceSignals(frozenset({"SKONTO"}))),
        "rate ": Terms(100, RemittanceSignals(frozenset({"RATE"}))),
        "charges ": Terms(100, plain, 1500),
        "tolerance ": Terms(100, plain, 0, 500),
        "yen ": Terms(1, plain),
    }
    for (said, term), (due, total) in product(terms.items(), ((10000, 10000), (4000, 10000), (0, 10000))):
        for paid in PAID if not said or due == 10000 else PAID[::4]:
            fit = relate(paid, due, total, term)
            yield f"{said}{paid} of {due} {total} -> {_fit(fit)}"
    for paid, due in (
        (149, 419),
        (14900, 41900),
        (1234, 1324),
        (1234, 4231),
        (1234, 12340),
        (27, 1),
        (100, 149),
        (56000, 55400),
        (57000, 56400),
        (56000, 54999),
    ):
        yield f"{paid} of {due} -> {relate(paid, due, due, terms['']).kind.code}"
    for paid, due, total in (
        (20, 153, 153),
        (20, 152, 152),
        (75, 80, 80),
        (76, 80, 80),
        (9800, 9930, 10000),
        (18, 20, 20),
        (1, 2, 2),
        (9990, 4999, 10000),
    ):
        yield f"{paid} of {due} {total} -> {_fit(relate(paid, due, total, terms['yen ']))}"
    for paid, due, total in ((10000, 5000, 10000), (10000, 4999, 10000), (10100, 4999, 10000), (10101, 4999, 10000)):
        yield f"{paid} of {due} {total} -> {_fit(relate(paid, due, total, terms['']))}"
    for paid in (9700, 9699, 9975, 9974, 10000, 10025, 10026, 10300, 10301):
        for due in (10000, 0):
            near = relate_exchanged(paid, due, 10000)
            yield f"exchanged {paid} of {due} -> {_fit(near) if near is not None else None}"
        yield f"instructed {paid} -> {_fit(relate_instructed(paid, 10000, 10000, terms['']))}"


def exchange() -> Iterator[str]:
    """Amounts of an order in another currency, and back, by the order's rate or the bank's word."""
    rates, paid = ("4.27", "0.5", "1.5", "1.02"), (4990, 5100, 21307, 1169, 2500, -4990)
    for rate, minor, open_minor in product(rates, paid, (4990, 0)):
        facts = order("1", 4990, currency="PLN", exchange_rate=Decimal(rate), open_minor=open_minor)
        for sent in ({}, {"instructed_amount_minor": 21307, "instructed_currency": "PLN"}, {"charges_minor": 200}):
            given = posting("1", minor, **sent).posting
            here = in_posting_currency(given, facts, 4990)
            there = in_order_currency(given, minor, facts, open_minor)
            unclear = is_rate_inverted(given, minor, facts, open_minor)
            half = instructed_minor(given, minor // 2, "PLN")
            yield f"{rate} {minor} {open_minor} {' '.join(sent)} -> {here} {there} {unclear} {half}"


def times() -> Iterator[str]:
    """How usual a delay is, and what a shop's own payments change."""
    learnt = Delays(
        [Delay(7, None)] * 20 + [Delay(30, 16), Delay(10, -4), Delay(91, 1), Delay(5, 90), Delay(5, 91)] * 4
    )
    for age, overdue in product((0, 1, 3, 7, 14, 30, 60, 89, 90, 120, 5000), (None, -14, -2, 0, 1, 16, 60, 90, 5000)):
        said = f"{delay_density(age, overdue):.5g} {delay_weight(age, overdue):.4f}"
        hazards = [delays.hazard(Delay(age, overdue)) for delays in (Delays(), learnt)]
        yield f"{age} {overdue} -> {said} {hazards[0]:.4f} {hazards[1]:.4f}"
    for raw in (0.0, 0.03, 0.0685, 0.1, 0.19, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.985, 0.99, 0.995, 0.9995, 1.0):
        yield f"calibrated {raw} -> {calibrate(raw):.5f}"


def weights() -> Iterator[str]:
    """The evidence with its weights, and how much a number says for an order."""
    for row in CATALOGUE:
        yield f"{row.code} {row.family} {row.weight} {row.said} {row.flag}"
    for digits, kind, form in product((0, 2, 3, 4, 5, 8, 12), KeyKind, Form):
        number = Number("1" * digits or "ABCDE", 0, 5, digits, Context.NONE, "text", False, False)
        changes: tuple[dict[str, Any], ...] = (
            {},
            {"context": Context.ORDER},
            {"joined": True},
            {"compact": "SW" + number.compact},
        )
        found = [number_weight(number._replace(**change), kind, form, 1) for change in changes]
        found.append(number_weight(number, kind, form, 3))
        yield f"{digits} {kind.name} {form.name} -> {' '.join(f'{weight:.2f}' for weight in found)}"
    for context, kind in product(Context, KeyKind):
        number = Number("10480", 0, 5, 5, context, "text", False, False)
        yield f"{context.name} {kind.name} -> {number_weight(number, kind, Form.FULL, 1):.2f}"


def wording() -> Iterator[str]:
    """What words of a text say, who a payer is, and which fee a text states."""
    for text in _list(WORDS):
        said = RemittanceSignals(frozenset(text.split()))
        yield f"{text} -> {' '.join(name for name in (*said.__slots__, 'less') if getattr(said, name))}"
    for text in _list(PAYERS):
        name = parse_name(text)
        yield f"{text} -> {fee_kind_of(name)} {is_public_name(name)}"
    for text in _list(FEES):
        fee = stated_fee(text.upper())
        yield f"{text} -> {fee.amount} {fee.basis_points}"


TABLES: Final[dict[str, Callable[[], Iterable[str]]]] = {
    "amounts": amounts, "exchange": exchange, "forms": forms, "names": names, "numbers": numbers, "times": times,
    "weights": weights, "wording": wording, **DECISIONS, **READINGS, **FOUND, **BATCHES, **DRAWN,
}  # fmt: skip


def write() -> None:
    """Writes all tables."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, table in TABLES.items():
        (FOLDER / f"{name}.txt").write_text("".join(f"{line.rstrip()}\n" for line in table()), "utf-8")


if __name__ == "__main__":
    write()

"""Reading and mapping of camt entries: at least 8,000 a second in flat memory.

    python -m lab.statements [entries] [--uniform]

Prints CPU seconds, entries per second, the growth of memory, and the ratio to a bare lxml.iterparse that only counts
the entries of the same file, which tells how fast the machine is. The entries have about 900 bytes; without
`--uniform` they differ in direction, references, parties and lines as those of one bank do.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

from lxml import etree

from paymatch.formats.camt.reader import read_camt
from paymatch.formats.postings_of import postings_of
from paymatch.formats.statement import Entry, StatementHead

ROUNDS = 5
GOAL = 8_000

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId>
<CreDtTm>2026-03-02T06:00:00+01:00</CreDtTm></GrpHdr><Stmt><Id>S1</Id><ElctrncSeqNb>1</ElctrncSeqNb><Acct><Id>
<IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>"""
_TAIL = "</Stmt></BkToCstmrStmt></Document>"
_CODES = (
    "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn>"
    "<Prtry><Cd>NTRF+166+9248/</Cd><Issr>DK</Issr></Prtry></BkTxCd>"
)
_TEXTS = ("Danke", "Bestellung", "Rechnung", "Vielen Dank", "Einkauf", "Ware", "Online-Bestellung", "wie besprochen")


MARCH = [date(2026, 3, 1 + number) for number in range(28)]


def _entry(number: int, variant: int, day: date) -> str:
    amount = f'<Amt Ccy="EUR">{1 + number % 500}.{number % 100:02d}</Amt>'
    credit = variant % 4 != 3
    sign = f"<CdtDbtInd>{'CRDT' if credit else 'DBIT'}</CdtDbtInd>"
    other, own = ("Dbtr", "Cdtr") if credit else ("Cdtr", "Dbtr")
    parties = {
        other: f"<{other}><Pty><Nm>Kunde Nr {number} &amp; Söhne</Nm></Pty></{other}>"
        f"<{other}Acct><Id><IBAN>DE02120300000000202051</IBAN></Id></{other}Acct>",
        own: f"<{own}><Pty><Nm>Shop GmbH</Nm></Pty></{own}>",
    }
    lines = "".join(f"<Ustrd>Rechnung R-{number} Zeile {line}</Ustrd>" for line in range(1 + variant % 3))
    transaction = f"<TxId>TX{number}</TxId>" if variant % 5 else ""
    return (
        f"<Ntry><NtryRef>{number}</NtryRef>{amount}{sign}<Sts><Cd>BOOK</Cd></Sts>{_dates(day)}"
        f"<AcctSvcrRef>REF{number:012d}</AcctSvcrRef>{_CODES}"
        f"<NtryDtls><TxDtls><Refs><EndToEndId>E2E-{number}</EndToEndId>{transaction}</Refs>{amount}{sign}"
        f"<RltdPties>{parties['Dbtr']}{parties['Cdtr']}</RltdPties><RltdAgts><{other}Agt><FinInstnId>"
        f"<BICFI>BYLADEM1001</BICFI></FinInstnId></{other}Agt></RltdAgts><RmtInf>{lines}</RmtInf></TxDtls></NtryDtls>"
        "<AddtlNtryInf>SEPA-GUTSCHRIFT</AddtlNtryInf></Ntry>\n"
    )


def _dates(day: date) -> str:
    return f"<BookgDt><Dt>{day}</Dt></BookgDt><ValDt><Dt>{day}</Dt></ValDt>"


def _same_entry(number: int, day: date) -> str:
    """19.90 of one of 200 customers, with one of eight texts and without any number of the bank."""
    customer, text = number * 7 % 200 + 200 * (number >= 10**6), _TEXTS[number % 8]  # others had paid before
    return (
        f'<Ntry><Amt Ccy="EUR">19.90</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>{_dates(day)}{_CODES}'
        f'<NtryDtls><TxDtls><Amt Ccy="EUR">19.90</Amt><CdtDbtInd>CRDT</CdtDbtInd><RltdPties><Dbtr><Pty>'
        f"<Nm>Kunde Nr {customer}</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>DE0212030000000020{customer:04d}</IBAN></Id>"
        f"</DbtrAcct></RltdPties><RmtInf><Ustrd>{text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n"
    )


def write_file(path: Path, entries: int, *, uniform: bool) -> None:
    """A camt.053 of that many entries."""
    _write(path, (_entry(number, 1 if uniform else number * 7 % 60, MARCH[number % 28]) for number in range(entries)))


def write_days(path: Path, first: int, entries: int, days: list[date]) -> None:
    """The same for other days; the entries are numbered from `first`."""
    numbers = range(first, first + entries)
    _write(path, (_entry(number, number % 10**6 * 7 % 60, days[number % len(days)]) for number in numbers))


def write_same_amount(path: Path, first: int, entries: int, days: list[date]) -> None:
    """The shop in which everything costs 19.90."""
    _write(path, (_same_entry(number, days[number % len(days)]) for number in range(first, first + entries)))


def _write(path: Path, entries: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEAD)
        file.writelines(entries)
        file.write(_TAIL)


def count_bare(path: Path) -> int:
    """What the machine can do: entries counted and dropped, nothing read of them."""
    count = 0
    for _, element in etree.iterparse(str(path), events=("end",), tag="{*}Ntry"):
        count += 1
        element.clear()
    return count


def count_read(path: Path) -> int:
    """All entries with all their fields."""
    with path.open("rb") as stream:
        return sum(isinstance(event, Entry) for event in read_camt(stream))


def count_mapped(path: Path) -> int:
    """All entries, and the postings that they stand for."""
    count = 0
    head: StatementHead | None = None
    with path.open("rb") as stream:
        for event in read_camt(stream):
            if isinstance(event, StatementHead):
                head = event
            elif isinstance(event, Entry):
                assert head is not None
                count += len(postings_of(head, event))
    return count


KINDS: dict[str, Callable[[Path], int]] = {"bare": count_bare, "read": count_read, "read and mapped": count_mapped}


def _memory_growth_mb(path: Path, kind: str) -> float:
    """Growth of the peak memory of a fresh process that reads the file, over one that reads a file of ten entries.

    ru_maxrss would be that of this process, which a child inherits; VmHWM is its own. Linux only.
    """
    code = (
        "import re, sys; from pathlib import Path; from lab.statements import KINDS\n"
        "KINDS[sys.argv[1]](Path(sys.argv[2]))\n"
        "print(re.search(r'VmHWM:\\s+([0-9]+) kB', Path('/proc/self/status').read_text())[1])"
    )
    small = path.with_name("small.xml")
    write_file(small, 10, uniform=True)
    peaks = [
        int(subprocess.run([sys.executable, "-c", code, kind, str(one)], check=True, capture_output=True).stdout)
        for one in (small, path)
    ]
    return (peaks[1] - peaks[0]) / 1024


def main() -> None:
    """Prints the table; exits with 1 if a goal of the project is missed."""
    numbers = [word for word in sys.argv[1:] if word.isdigit()]
    entries = int(numbers[0]) if numbers else 100_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "camt.xml"
        write_file(path, entries, uniform="--uniform" in sys.argv)
        print(f"{entries:,} entries, {path.stat().st_size / entries:.0f} bytes each")
        best = dict.fromkeys(KINDS, float("inf"))
        for _ in range(ROUNDS):
            for kind, count in KINDS.items():
                started = resource.getrusage(resource.RUSAGE_SELF)
                assert count(path) == entries
                ended = resource.getrusage(resource.RUSAGE_SELF)
                cpu = ended.ru_utime + ended.ru_stime - started.ru_utime - started.ru_stime
                best[kind] = min(best[kind], cpu)
        growth = {kind: _memory_growth_mb(path, kind) for kind in KINDS}
    print(f"{'':16}{'CPU s':>8}{'entries/s':>12}{'ratio':>8}{'memory + MB':>13}")
    for kind, cpu in best.items():
        print(f"{kind:16}{cpu:8.2f}{entries / cpu:12,.0f}{cpu / best['bare']:8.2f}{growth[kind]:13.1f}")
    if entries / best["read"] < GOAL or growth["read and mapped"] > 60:
        sys.exit(f"the goal is missed: at least {GOAL:,} entries/s read, less than 60 MB")


if __name__ == "__main__":
    main()

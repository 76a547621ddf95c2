"""docs/where.md: per subject its files in each room, with the first sentence that each says of itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tools.documents.rooms import floors, picture

_PACKAGE: Final = Path(__file__).resolve().parents[2] / "src" / "paymatch"

SUBJECTS: Final[Mapping[str, str]] = {
    "Sandbox, demo and scenarios": r"sandbox|^cli/(demo|scenario)/|^scenarios/|simulated_bank",
    "Search": r"search",
    "Orders from files": r"order_imports|order_files|import_orders",
    "Remittance advices": r"advice|matching/advised",
    "Connectors to shop systems": r"connector|shopware|woocommerce|write_back|foreign_orders",
    "Collection": r"collection|lapses|default_interest|base_rates|manage/agency",
    "Payouts of providers and carriers": (
        r"payout|settlements/|claims|provider_|account_books|account_postings|layout_mapping"
    ),
    "Letters": r"letter",
    "Reminders and mails": r"reminder|mail|bounces|dunning_plan|trial",
    "Refunds": r"refund|transfer|arrived|pain00|money_out|cooling_off|withheld_bounds|outgoing",
    "Callbacks": r"callback|signatures",
    "Customers' pages and notices": r"customer",
    "Payment codes and images": r"formats/codes/|images|payment_requests",
    "Reports, exports and bookkeeping": r"report|accounting|export|receivables|closing|sheets|tallies",
    "Personal data": r"privacy|person|erasure",
    "Connections to banks": (
        r"ebics|fints|bank_channel|bank_connections|views/bank/(feeds|mapping)|sftp|drop_folder|statement_channels"
    ),
    "Bank formats": (
        r"^formats/(camt|mt940|tables|balances|remittance|ofx|account_information|read|recognise|statement|bundle|postings_of|bank_amounts"
        r"|german_codes|foreign_text|text_decoding|xml_events|account_numbers|quick_values)"
    ),
    "People, sign-in and roles": (
        r"area/people|area/proof|sign_in|users|key_scopes|known_keys|api_keys|views/manage/(team|sessions)"
    ),
    "Matching": (
        r"matching|assign|payer_rules|views/rules|area/queue|queue|witnesses|evidence|posting_(decisions|facts|queue)"
        r"|exchange_rates|held_back|sentences/(rules|tariffs)"
    ),
    "Statements and booking": (
        r"statement|books/|entries|accounts|account_chains|import_(process|report|runs|errors)|imports|completeness"
        r"|usecases/statements|csv_mapping|bank_days|bank_accounts|views/bank|pending_uploads|confined|sentences/files"
    ),
    "Postings": r"posting",
    "Orders": r"order|invoice|settlement/",
    "Alerts, metrics and due work": (
        r"alert|metrics|shop_jobs|job_kinds|views/(home|to_do|overview)|todo|^jobs/|check\b|doctor|invariants"
        r"|cli/work/jobs|work_labels|sentences/calls"
    ),
    "Audit log": r"audit|audit_changes",
    "Shops and their settings": r"shop|settings|brand|setting_forms|colours|preferences|operator",
    "Backup, moving and upgrades": r"backup|moving|dumps|migrate|sealed_files|retention|installation|progress",
    "Encryption of stored values": r"seal|cipher",
    "Language and wording": r"words|languages|area/language|plurals|labels|wording",
    "Merchant API": r"^api/|contract/|api_requests|requests|^web",
    "Merchant area": r"^area/",
    "Pages and public HTTP": r"^pages/|^front/|outbound/(http|resolving)|client_disconnect|service_address|^app",
    "Files and documents": r"outbound/(files|folders)|formats/documents",
    "Database": r"^store/|^embedded/",
    "Command line": r"^cli/|__main__",
    "Ground": r".",
}
"""Subject -> what the paths of its modules contain; a module belongs to the first subject that fits."""


_HEAD: Final = """# Where things are

Written by `make docs` from the code. First come the rooms of `src/paymatch/`: each may import those below it.
Then come the files per subject, each with its first sentence. [The glossary](glossary.md) explains the words.

## Rooms

{rooms}
## Files by subject
"""


def modules() -> dict[str, list[str]]:
    """Subject -> its modules below src/paymatch, the room that may import all others first."""
    rooms = [name for floor in floors() for name in floor]
    found: dict[str, list[str]] = {subject: [] for subject in SUBJECTS}
    paths = [path.relative_to(_PACKAGE).as_posix() for path in _PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    for path in sorted(paths, key=lambda path: (_rank(rooms, path), path)):
        if "/migrations/" not in path:
            found[next(subject for subject, pattern in SUBJECTS.items() if re.search(pattern, path))].append(path)
    return found


def where() -> str:
    """The page."""
    found = modules()
    lines = [_HEAD.format(rooms=picture())]
    lines += [f"- [{subject}](#{_anchor(subject)}): {len(paths)} files" for subject, paths in found.items()]
    for subject, paths in found.items():
        lines += ["", f"## {subject}", ""]
        lines += [f"- `{path}`: {first_sentence(path)}" for path in paths]
    return "\n".join(lines) + "\n"


def first_sentence(path: str) -> str:
    """What a module says of itself, up to its first full stop."""
    text = ast.get_docstring(ast.parse((_PACKAGE / path).read_text("utf-8"))) or ""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", paragraph)[0]


def _rank(rooms: list[str], path: str) -> int:
    room = path.partition("/")[0].removesuffix(".py")
    return rooms.index(room) if room in rooms else len(rooms)


def _anchor(subject: str) -> str:
    return re.sub(r"[^a-z0-9-]", "", subject.lower().replace(" ", "-"))

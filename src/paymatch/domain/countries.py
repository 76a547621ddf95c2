"""ISO 3166-1 alpha-2 country codes (docs/api.md, Address)."""

from __future__ import annotations

from typing import Final

_CODES: Final = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY "
    "BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK "
    "FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR "
    "IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK "
    "ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM "
    "PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF "
    "TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XI XK YE YT ZA ZM ZW"
)
COUNTRIES: Final = frozenset(_CODES.split())
"""The official codes, and XI and XK, which shops in Europe use."""

_EEA: Final = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK"
_MORE_IN_SEPA: Final = "AD AL CH GB GG GI IM JE MC MD ME MK RS SM VA"
EEA: Final = frozenset(_EEA.split())
"""Countries in whose IBANs the bank is found without a BIC (Regulation (EU) 260/2012, article 5)."""

SEPA: Final = EEA | frozenset(_MORE_IN_SEPA.split())
"""Countries whose accounts SEPA credit transfers reach (EPC409-09); territories share the IBAN of their state."""

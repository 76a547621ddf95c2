"""Payment words: the meaning of words in a posting's text for the payment."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_PURCHASE: Final = _words(
    """
    AUSLAGEN AUSLAGENERSATZ AUSSCHUETTUNG BAREINZAHLUNG COMMISSION CZYNSZ DARLEHEN DAROWIZNA DIVIDEND DIVIDENDE
    DONATIE DONATION EIGENUEBERTRAG EINLAGE FAHRTKOSTEN
    GEHALT GELDGESCHENK GESCHENK HABENZINSEN HUUR INTEREST INTERETS KAUTION KREDIT LENING LOHN LOYER MIETE
    MIETEINNAHME NEBENKOSTEN PACHT POZYCZKA PROVISION REISEKOSTEN RENT SALAIRE SALARIS SALARY SPENDE SUBVENTION
    TASCHENGELD TILGUNG TRINKGELD UBERTRAG UEBERTRAG UMBUCHUNG UNTERHALT VORSCHUSS WAGES WERBEKOSTENZUSCHUSS WKZ
    WYNAGRODZENIE ZINSEN ZUSCHUSS
    """
)
_AGAINST: Final = _NO_PURCHASE | _words(
    """
    ABRECHNUNG AKTENZEICHEN AUSZAHLUNG AVOIR BARGELD BEIHILFE BEITRAG BEITRAGSRUECKGEWAEHR BONI BONIFIKATION BONUS
    BONUSGUTSCHRIFT CONTRIBUTIE COTISATION CREDITNOTA DISBURSEMENT DOPPELZAHLUNG EINZAHLUNG ENERGIE ERSTATTUNG
    ERTRAG FINANZAMT FINANZKASSE FOERDERUNG FORDERUNG GAS GEWINN GEWINNAUSZAHLUNG GUTHABEN GUTSCHRIFT KONTOFUEHRUNG
    KOREKTA LIEFERANT MITGLIED PAYOUT POLICE POLICY PRAEMIE PRAMIE REFUND REKLAMATION REMBOURSEMENT RETOURE RIMBORSO
    RUCKBUCHUNG RUCKERSTATTUNG RUCKFRAGEN RUCKUBERWEISUNG RUCKVERGUTUNG RUCKZAHLUNG RUECKBUCHUNG RUECKERSTATTUNG
    RUECKFRAGEN RUECKUEBERWEISUNG RUECKVERGUETUNG RUECKZAHLUNG SCHADEN SETTLEMENT SKLADKA STEUER STNR STORNO STROM
    TERUGBETALING TERUGGAAF UBERZAHLUNG UEBERZAHLUNG VERSICHERUNG VERTRAG VORSTEUER WARENGUTSCHRIFT ZAEHLER ZAHLER
    ZWROT
    """
)
_LONG: Final = 9
"""German words of at least this many letters are split into their parts."""
_NO_PURCHASE_STARTS: Final = ("DARLEHENS", "GEHALTS", "LOHNZAHL", "MIETZAHLUNG", "NEBENKOSTEN", "ZINSGUT")
_NO_PURCHASE_ENDS: Final = (
    *("DARLEHEN", "GEHALT", "KAUTION", "MIETE", "PROVISION", "SPENDE", "VORSCHUSS", "ZINSEN", "ZUSCHUSS"),
)
_AGAINST_STARTS: Final = ("ENTSCHAD", "ENTSCHAED", "KURSGEB", "MITGLIEDS", "SCHADEN", "TEILNAHMEGEB", "VERSICHERUNGSL")
_AGAINST_ENDS: Final = (
    *("ABRECHNUNG", "BEITRAG", "BONI", "BONUS", "ENTSCHAEDIGUNG", "ENTSCHADIGUNG", "ERSTATTUNG", "PRAEMIE", "PRAMIE"),
    *("REGULIERUNG", "RUCKZAHLUNG", "RUECKZAHLUNG", "VERGUETUNG", "VERGUTUNG"),
)
_BANK_HEADS: Final = frozenset(
    ("AUFTRAGGEBER", "MITTEILUNGEN")
)  # `GUTSCHRIFT AUFTRAGGEBER: ...` is the bank's own heading
_AGAINST_BESIDE_HEADS: Final = _AGAINST - {"GUTSCHRIFT"}
_PAYOUT: Final = _words(
    """
    AUSZAHLUNG COD CONTREREMBOURSEMENT NACHNAHME NACHNAHMEBETRAEGE NACHNAHMEBETRAGE NACHNAHMEN NN PAYOUT REMISE
    SETTLEMENT
    """
)
_REFUND: Final = _words(
    """
    CREDIT ERSTATTUNG GUTSCHRIFT REFUND REFUNDS REMBOURSEMENT RETOUR RETOURE RETURN RUCKERSTATTUNG RUCKZAHLUNG
    RUECKERSTATTUNG RUECKZAHLUNG STORNO TERUGBETALING ZWROT
    """
)
_CASH_DISCOUNT: Final = _words(
    """
    ABZGL ABZUEGLICH ABZUGL DISCOUNT ESCOMPTE KORTING KORTINGEN RABATT SKONTI SKONTO SKTO
    """
)
_FEE: Final = _words(
    """
    BANKGEBUEHR BANKGEBUEHREN BANKGEBUHR BANKGEBUHREN BANKKOSTEN BANKSPESEN BEN CHARGES ENTGELT ENTGELTE FEE FEES FRAIS
    GEBUEHR GEBUEHREN GEBUHR GEBUHREN INCL KOSTEN OUR SHA SPESEN UBERWEISUNGSGEBUHR UEBERWEISUNGSGEBUEHR
    """
)
_INSTALMENT: Final = _words(
    """
    ABSCHLAG ACOMPTE ANZAHLUNG DEEL INSTALLMENT INSTALMENT RATA RATE RATEN REST RESTBETRAG RESTZAHLUNG TEILBETRAG
    TEILZAHLUNG TERMIJN
    """
)
CASH_WORDS: Final = _words("BAREINZAHLUNG BARGELD BARZAHLUNG EINZAHLUNG")
"""Words of money paid in at a desk: by the shop itself, or by a customer for an order."""
_TELLING: Final = _AGAINST | _PAYOUT | _REFUND | _CASH_DISCOUNT | _FEE | _INSTALMENT


class _Says(Enum):
    NOTHING = "nothing"
    AGAINST = "something other than a payment"
    NO_PURCHASE = "something other than a purchase"


class RemittanceSignals:
    """Flags of a posting's words: each True if a word of its kind is there."""

    __slots__ = ("cash_discount", "contradicts_payment", "fee", "instalment", "no_purchase", "payout", "refund")

    def __init__(self, words: frozenset[str]) -> None:
        compounds = [_compound(word) for word in words if len(word) >= _LONG]
        self.no_purchase = bool(compounds) and _Says.NO_PURCHASE in compounds
        self.contradicts_payment = self.no_purchase or (bool(compounds) and _Says.AGAINST in compounds)
        if words.isdisjoint(_TELLING):
            self.payout = self.refund = False
            self.cash_discount = self.fee = self.instalment = False
            return
        self.no_purchase = self.no_purchase or not words.isdisjoint(_NO_PURCHASE)
        self.contradicts_payment = self.contradicts_payment or not words.isdisjoint(
            _AGAINST if words.isdisjoint(_BANK_HEADS) else _AGAINST_BESIDE_HEADS
        )
        self.payout = not words.isdisjoint(_PAYOUT)
        self.refund = not words.isdisjoint(_REFUND)
        self.cash_discount = not words.isdisjoint(_CASH_DISCOUNT)
        self.fee = not words.isdisjoint(_FEE)
        self.instalment = not words.isdisjoint(_INSTALMENT)

    @property
    def less(self) -> bool:
        """True if the text says that less than the open amount is paid: one of several parts, or with a discount."""
        return self.cash_discount or self.instalment


@lru_cache(maxsize=16384)
def _compound(word: str) -> _Says:
    """The flag of a long German word (flat capitals), by its first or last part."""
    if word.startswith(_NO_PURCHASE_STARTS) or word.endswith(_NO_PURCHASE_ENDS):
        return _Says.NO_PURCHASE
    if word.startswith(_AGAINST_STARTS) or word.endswith(_AGAINST_ENDS):
        return _Says.AGAINST
    return _Says.NOTHING

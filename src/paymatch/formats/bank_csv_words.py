"""Words of account exports in German, English, Dutch, French, Italian, Polish, Czech, written as by `header_word`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.formats.bank_csv_profiles import CsvField

_F = CsvField


def _words(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(","))


HEADER_WORDS: Final[Mapping[CsvField, frozenset[str]]] = {
    _F.BOOKING_DATE: _words(
        "buchungstag, buchungsdatum, datum, buchung, date, booking date, posting date, transaction date, booked at, "
        "booking day, created, date processed, boekdatum, datum verrekening, transactiedatum, boekingsdatum, "
        "date comptable, date operation, date de comptabilisation, date d operation, data contabile, "
        "data operazione, "
        "data, data ksiegowania, data operacji, data transakcji, datum zauctovani, datum provedeni, booked, "
        "date posted, "
        "completed date, entry date"
    ),
    _F.VALUE_DATE: _words(
        "valuta, valutadatum, wertstellung, wertstellungsdatum, wert, valuta datum, value date, valuta date, "
        "rentedatum, valutadatum, date valeur, date de valeur, data valuta, data waluty, execution date, "
        "datum verrichting, someotherdate"
    ),
    _F.AMOUNT: _words(
        "betrag, umsatz, amount, sum, value, bedrag, transactiebedrag, montant, importo, kwota, castka, suma, "
        "zauctovana castka, betrag in eur, amount in account currency, inflow, netto, net, kwota operacji, "
        "umsatzbetrag, "
        "credit debit amount, transaction amount, betrag konto"
    ),
    _F.CREDIT: _words(
        "haben, gutschrift, credit, paid in, money in, deposit, deposits, bij, credit amount, avere, accrediti, "
        "accredito, entrate, uznania, wplywy, gutschriften, credits, eingang, einnahmen, zugang"
    ),
    _F.DEBIT: _words(
        "soll, belastung, lastschrift, debit, debet, paid out, money out, withdrawal, withdrawals, af, debit amount, "
        "dare, addebiti, addebito, uscite, obciazenia, wydatki, belastungen, debits, ausgang, ausgaben, "
        "abgang, outflow"
    ),
    _F.MARKER: _words(
        "s h, soll haben, soll haben kennzeichen, d c, c d, dc, cd, debit credit, credit debit, af bij, "
        "soll haben kz, vorzeichen, cr dr, dr cr, sens, credit debit indicator, debit credit indicator"
    ),
    _F.CURRENCY: _words(
        "wahrung, waehrung, currency, ccy, munt, muntsoort, valuta code, devise, divisa, waluta, mena, "
        "mena uctu, whg, cur"
    ),
    _F.NAME: _words(
        "name, empfanger, auftraggeber, auftraggeber empfanger, auftraggeber beguenstigter, "
        "auftraggeber begunstigter, "
        "begunstigter auftraggeber, beguenstigter zahlungspflichtiger, zahlungsbeteiligter, "
        "name zahlungsbeteiligter, "
        "partner, partner name, partnername, payee, counterparty name, counteraccount name, beneficiary, "
        "naam, naam tegenpartij, tegenpartij, nom, contrepartie, nome, controparte, nadawca odbiorca, kontrahent, "
        "nazev protiuctu, counter party, payer, debtor, creditor, zahler, zahlungspflichtiger"
    ),
    _F.IBAN: _words(
        "iban, kontonummer, gegenkonto, partner iban, iban zahlungsbeteiligter, counterparty iban, counterparty, "
        "counterparty account, tegenrekening, tegenrekening iban bban, account number, counter account, "
        "counteraccount, "
        "compte contrepartie, konto, numer rachunku, rachunek kontrahenta, cislo protiuctu, bank account details, "
        "iban kontonummer, kontonummer iban"
    ),
    _F.BIC: _words("bic, blz, bankleitzahl, swift, bic swift code, partner bic, bic tegenpartij, bic swift, swift bic"),
    _F.TEXT: _words(
        "verwendungszweck, buchungsdetails, zahlungsreferenz, text, mitteilung, zahlungszweck, avisierungstext, "
        "description, details, narrative, memo, payment reference, remittance information, message, "
        "message for payee, "
        "omschrijving, mededelingen, mededeling, omschrijving 1, omschrijving 2, omschrijving 3, libelle, "
        "communication, "
        "motif, descrizione, causale, tytul, tytul operacji, opis, opis operacji, zprava, zprava pro prijemce, "
        "verwendungszweck 1, verwendungszweck 2, beschreibung1, beschreibung2, beschreibung3, beschreibung, "
        "particulars, "
        "transaction description, buchungsinformationen, buchungs info, vs, variable symbol 1, notifications"
    ),
    _F.TYPE: _words(
        "buchungstext, umsatzart, umsatztyp, vorgang, typ, type, transaction type, transaktionstyp, mutatiesoort, "
        "bewegungstyp, code, type d operation, tipo, rodzaj operacji, typ operacji, typ transakce, transaktionsart"
    ),
    _F.END_TO_END_ID: _words(
        "kundenreferenz, kundenreferenz end to end, end to end, end to end id, end to end reference, endtoendid, "
        "ende zu ende referenz, transactiereferentie, end to end referenz, e2e"
    ),
    _F.STRUCTURED_REFERENCE: _words("referenznummer, betalingskenmerk, qr referenz, creditor reference, qr reference"),
    _F.MANDATE: _words("mandatsreferenz, mandate, mandate reference, machtigingskenmerk, mandatsreferenz id"),
    _F.CREDITOR_ID: _words("glaubiger id, glaeubiger id, creditor id, incassant id, creditor identifier"),
    _F.BANK_REFERENCE: _words(
        "buchungsreferenz, transaktions nr, transaktionscode, transaction id, transaction reference number, id, "
        "bank reference, reference, ref, referenz, zkb referenz, volgnr, id transakce, transaktionsnummer, tx id"
    ),
    _F.BALANCE: _words(
        "saldo, saldo nach buchung, balance, saldo na trn, saldo na mutatie, solde, guthaben, kontostand, "
        "saldo po operacji, running balance, resulting balance"
    ),
    _F.FEE: _words("gebuhr, entgelt, fee, fees, charges, kosten"),
    _F.STATUS: _words("status, info, state, buchungsstatus"),
    _F.ACCOUNT: _words(
        "auftragskonto, iban auftragskonto, rekening, own iban, eigene iban, account, account iban, rekeningnummer, "
        "iban bban, iban auftraggeberkonto, cislo uctu, konto iban, kontonummer auftraggeber, compte, rachunek"
    ),
}

_CREDIT: Final = "h haben c cr credit bij gutschrift + in + credito ma uznanie k kredit i inflow eingang"
_DEBIT: Final = "s soll d dr debit af belastung - debito wn obciazenie debet o outflow ausgang lastschrift"
MARKER_WORDS: Final[Mapping[str, str]] = dict.fromkeys(_CREDIT.split(), "credit") | dict.fromkeys(
    _DEBIT.split(), "debit"
)
"""Marks of money in and money out, lower case."""

PENDING_WORDS: Final = _words(
    "pending, vorgemerkt, vormerkung, offen, umsatz vorgemerkt, vorgemerkte umsatze, ausstehend, in bearbeitung, "
    "in behandeling, gereserveerd, en attente, in attesa, oczekujaca, geplant, authorised, authorized, processing, "
    "angekundigt, noch nicht gebucht, not booked"
)
"""Words in the status or date column of what is announced and not booked yet."""

VOID_WORDS: Final = _words(
    "denied, abgelehnt, failed, fehlgeschlagen, expired, abgelaufen, cancelled, canceled, storniert, declined, voided, "
    "geweigerd, rejected, removed, geloscht, memo"
)
"""Words in the status or effect column of what never touched the balance."""

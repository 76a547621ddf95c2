"""Words of account exports in the languages of Europe, written as by `header_word`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from paymatch.formats.tables.profiles import CsvField

_F = CsvField


def _words(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(","))


HEADER_WORDS: Final[Mapping[CsvField, frozenset[str]]] = {
    _F.BOOKING_DATE: _words(
        "buchungstag, buchungsdatum, datum, buchung, date, booking date, posting date, transaction date, "
        "booked at, booking day, created, date processed, boekdatum, datum verrekening, transactiedatum, "
        "boekingsdatum, date comptable, date operation, date de comptabilisation, date d operation, "
        "data contabile, data operazione, data, data ksiegowania, data operacji, data transakcji, "
        "datum zauctovani, datum provedeni, booked, date posted, completed date, entry date, fecha, "
        "fecha operacion, fecha contable, fecha de operacion, fecha movimiento, f operacion, bokforingsdag, "
        "bokforingsdatum, bokforingsdato, bogforingsdato, dato, kirjauspaiva, paivamaara, data registrazione, "
        "data movimento, date de l operation, dateop, date comptabilisation, uitvoeringsdatum, settlement date, "
        "datum uhrzeit, transaktionsdatum, transaktionsdag, data lancamento, data mov"
    ),
    _F.VALUE_DATE: _words(
        "valuta, valutadatum, wertstellung, wertstellungsdatum, wert, valuta datum, value date, valuta date, "
        "rentedatum, date valeur, date de valeur, data valuta, data waluty, execution date, datum verrichting, "
        "someotherdate, fecha valor, data valor, f valor, valutadag, rentedato, arvopaiva, dateval, "
        "wertstellungstag, "
        "data de valor, data rozliczenia, operation date, available on"
    ),
    _F.AMOUNT: _words(
        "betrag, umsatz, amount, sum, value, bedrag, transactiebedrag, montant, importo, kwota, castka, suma, "
        "zauctovana castka, betrag in eur, amount in account currency, inflow, netto, net, kwota operacji, "
        "umsatzbetrag, credit debit amount, transaction amount, betrag konto, importe, belopp, belob, maara, "
        "montante, montant operation, valor, gesamt, gesamtbetrag, kwota transakcji, "
        "kwota transakcji waluta rachunku, neto, total amount, settlement amount"
    ),
    _F.CREDIT: _words(
        "haben, gutschrift, credit, paid in, money in, deposit, deposits, bij, credit amount, avere, accrediti, "
        "accredito, entrate, uznania, wplywy, gutschriften, credits, eingang, einnahmen, zugang, haber, abono, "
        "abonos, ingresos, insattning, insattningar, entrees, credito, creditos, crediti, inn pa konto, "
        "money received"
    ),
    _F.DEBIT: _words(
        "soll, belastung, lastschrift, debit, debet, paid out, money out, withdrawal, withdrawals, af, "
        "debit amount, dare, addebiti, addebito, uscite, obciazenia, wydatki, belastungen, debits, ausgang, "
        "ausgaben, abgang, outflow, debe, cargo, cargos, gastos, uttag, debito, debitos, debiti, "
        "ut fra konto, sorties, money sent"
    ),
    _F.MARKER: _words(
        "s h, soll haben, soll haben kennzeichen, d c, c d, dc, cd, debit credit, credit debit, af bij, "
        "soll haben kz, vorzeichen, cr dr, dr cr, sens, credit debit indicator, debit credit indicator, "
        "creditdebet, credit debet, debet credit, bij af, debe haber"
    ),
    _F.GROSS: _words("brutto, bruto, gross, lordo, brut, avant commission, gross amount, bruttobetrag"),
    _F.FEE: _words(
        "gebuhr, entgelt, fee, fees, charges, kosten, comision, commissione, commission, prowizja, tariffa, "
        "oplata, frais, avgift"
    ),
    _F.CURRENCY: _words(
        "wahrung, waehrung, currency, ccy, munt, muntsoort, valuta code, devise, divisa, waluta, mena, "
        "mena uctu, whg, cur, devies, moneda, valuta rekening, valutacode, valuuta, currency code"
    ),
    _F.NAME: _words(
        "name, auftraggeber empfanger, auftraggeber beguenstigter, auftraggeber begunstigter, "
        "begunstigter auftraggeber, beguenstigter zahlungspflichtiger, zahlungsbeteiligter, "
        "name zahlungsbeteiligter, partner, partner name, partnername, counterparty name, counteraccount name, "
        "naam, naam tegenpartij, tegenpartij, nom, contrepartie, nome, controparte, nadawca odbiorca, "
        "kontrahent, nazev protiuctu, counter party, sender empfanger, name gegenkonto, gegenpartei, "
        "naam van de tegenpartij, naam tegenpartij bevat, tegenrekeninghouder, nombre, beneficiario ordenante, "
        "namn, navn, saaja maksaja, odbiorca zleceniodawca, odbiorca nadawca, dane kontrahenta, "
        "nazwa kontrahenta, empfanger zahlungspflichtiger, empfanger auftraggeber, nom de la contrepartie, "
        "consumer name, customer name, empfanger 1"
    ),
    _F.PAYER: _words(
        "auftraggeber, auftraggebername, name auftraggeber, payer, payer name, debtor, zahler, "
        "zahlungspflichtiger, avsandare, nadawca, ordenante, donneur d ordre"
    ),
    _F.PAYEE: _words(
        "empfanger, empfangername, name empfanger, zahlungsempfanger, payee, payee name, creditor, beneficiary, "
        "beneficiary name, beguenstigter, begunstigter, mottagare, odbiorca, beneficiario, beneficiaire"
    ),
    _F.IBAN: _words(
        "iban, kontonummer, gegenkonto, partner iban, iban zahlungsbeteiligter, counterparty iban, counterparty, "
        "counterparty account, tegenrekening, tegenrekening iban bban, account number, counter account, "
        "counteraccount, compte contrepartie, konto, numer rachunku, rachunek kontrahenta, cislo protiuctu, "
        "bank account details, iban kontonummer, kontonummer iban, gegeniban, iban konto nr, konto nr, "
        "iban gegenkonto, rekening tegenpartij, rekeningnummer tegenpartij, tegenrekeningnummer, "
        "na konto z konta, nr rachunku, numer konta, numer rachunku kontrahenta, nr rachunku kontrahenta, "
        "consumer bank account, beneficiary iban, beneficiary account number"
    ),
    _F.PAYER_IBAN: _words("auftraggeberkonto, iban auftraggeber, payer account number, payer iban, rachunek nadawcy"),
    _F.PAYEE_IBAN: _words("empfangerkonto, iban empfanger, payee account number, payee iban, rachunek odbiorcy"),
    _F.BIC: _words(
        "bic, blz, bankleitzahl, swift, bic swift code, partner bic, bic tegenpartij, bic swift, swift bic, "
        "bic blz, blz bic"
    ),
    _F.TEXT: _words(
        "verwendungszweck, buchungsdetails, zahlungsreferenz, text, mitteilung, zahlungszweck, avisierungstext, "
        "description, details, narrative, memo, payment reference, remittance information, message, "
        "message for payee, omschrijving, mededelingen, mededeling, omschrijving 1, omschrijving 2, "
        "omschrijving 3, libelle, communication, motif, descrizione, causale, tytul, tytul operacji, opis, "
        "opis operacji, zprava, zprava pro prijemce, verwendungszweck 1, verwendungszweck 2, beschreibung1, "
        "beschreibung2, beschreibung3, beschreibung, particulars, transaction description, "
        "buchungsinformationen, buchungs info, vs, variable symbol 1, notifications, vwz1, vwz2, vwz3, vwz4, "
        "vwz5, vwz6, vwz7, verwendungszweck 3, verwendungszweck 4, vorgang verwendungszweck, beschreibung 1, "
        "beschreibung 2, zahlungsgrund, vrije mededeling, libelle operation, libelle complet operation, label, "
        "informations complementaires, objet, descrizione estesa, descrizione completa, descrizione operazione, "
        "descrizione operazioni, oggetto, concepto, movimiento, observaciones, descripcion, descricao, "
        "forklaring, asunto, rubrik, "
        "beskrivning, meddelande, tekst, melding, viesti, opis transakcji, tytul przelewu, szczegoly, onderwerp, "
        "betreff, subject, transaction details, payment details, remarks, bestellnummer, order id, order number, "
        "rechnungsnummer, invoice number"
    ),
    _F.TYPE: _words(
        "buchungstext, umsatzart, umsatztyp, vorgang, typ, type, transaction type, transaktionstyp, "
        "mutatiesoort, bewegungstyp, code, type d operation, tipo, rodzaj operacji, typ operacji, typ transakce, "
        "transaktionsart, buchungstyp, buchungsart, art, type operation, rodzaj transakcji, typ transakcji, "
        "type verrichting, type betaling, tapahtumalaji"
    ),
    _F.END_TO_END_ID: _words(
        "kundenreferenz, kundenreferenz end to end, end to end, end to end id, end to end reference, endtoendid, "
        "ende zu ende referenz, transactiereferentie, end to end referenz, e2e"
    ),
    _F.STRUCTURED_REFERENCE: _words(
        "referenznummer, betalingskenmerk, qr referenz, creditor reference, qr reference, "
        "gestructureerde mededeling, communication structuree, structured communication, ocr, viite, "
        "viitenumero, kid"
    ),
    _F.MANDATE: _words("mandatsreferenz, mandate, mandate reference, machtigingskenmerk, mandatsreferenz id"),
    _F.CREDITOR_ID: _words("glaubiger id, glaeubiger id, creditor id, incassant id, creditor identifier"),
    _F.BANK_REFERENCE: _words(
        "buchungsreferenz, transaktions nr, transaktionscode, transaction id, transaction reference number, id, "
        "bank reference, reference, ref, referenz, referentie, referens, referencia, "
        "riferimento, zkb referenz, volgnr, id transakce, transaktionsnummer, "
        "tx id, verifikationsnummer, volgnummer, transactienummer, nr transakcji, numer transakcji, "
        "numero de transaction, codice transazione, id de transaccion, arkivointitunnus"
    ),
    _F.BALANCE: _words(
        "saldo, saldo nach buchung, balance, saldo na trn, saldo na mutatie, solde, guthaben, kontostand, "
        "saldo po operacji, running balance, resulting balance, saldo po transakcji, solde apres, "
        "accountbalance, saldo despues, saldo contabile, saldo contabilistico, bokfort saldo, balance after"
    ),
    _F.STATUS: _words("status, info, state, buchungsstatus, stato, estado, etat, statut, stan, transaction status"),
    _F.ACCOUNT: _words(
        "auftragskonto, iban auftragskonto, rekening, own iban, eigene iban, account, account iban, "
        "rekeningnummer, iban bban, iban auftraggeberkonto, cislo uctu, konto iban, kontonummer auftraggeber, "
        "compte, rachunek, iban kontoinhaber, eigenkonto, own account, cuenta, accountnum, numer rachunku karty"
    ),
}

NET_WORDS: Final = _words("netto, net, neto, total amount")
"""Headers of an amount from which a fee has been taken."""

VAGUE_REFERENCES: Final = _words("reference, ref, referenz, referentie, referens, referencia, riferimento")
"""Headers under which some banks give their own number of the booking, and others what the payer wrote."""

OTHER_SIDE: Final = re.compile(
    "gegen|tegen|partner|counter|contrepart|contropart|kontrahent|odbiorc|na konto|beteilig|zahlungspflicht|benefici|"
    "consumer"
)
"""Parts of headers that name the other side of a payment."""

VAGUE_TOTALS: Final = _words("saldo, summe, total, totaal, solde, totale, suma, summa, balance, umsatztotal")
"""What a row says that is a sum, or the payment of somebody who wrote nothing else."""

TOTALS: Final = _words(
    "anfangssaldo, endsaldo, schlusssaldo, startsaldo, saldovortrag, alter saldo, neuer saldo, kontostand, "
    "anfangsbestand, endbestand, alter kontostand, neuer kontostand, gesamtsumme, zwischensumme, "
    "opening balance, closing balance, balance brought forward, balance carried forward, brought forward, "
    "carried forward, start balance, end balance, beginsaldo, eindsaldo, vorig saldo, nieuw saldo, "
    "solde initial, solde final, ancien solde, nouveau solde, saldo iniziale, saldo finale, saldo inicial, "
    "saldo final, saldo anterior, saldo poczatkowe, saldo koncowe, ingaende saldo, utgaende saldo"
)
"""What a row says that is no entry but a balance or a sum, days and amounts taken away."""

TOTAL_DAYS: Final = _words("am, per, vom, bis, zum, at, on, as, of, au, du, le, al, op, den, na, dzien, do")
"""Words between a total and its day."""

_CREDIT: Final = "h haben c cr credit bij gutschrift + in + credito ma uznanie k kredit i inflow eingang"
_DEBIT: Final = "s soll d dr debit af belastung - debito wn obciazenie debet o outflow ausgang lastschrift"
MARKER_WORDS: Final[Mapping[str, str]] = dict.fromkeys(_CREDIT.split(), "credit") | dict.fromkeys(
    _DEBIT.split(), "debit"
)
"""Marks of money in and money out, lower case."""

PENDING_WORDS: Final = _words(
    "pending, vorgemerkt, vormerkung, offen, umsatz vorgemerkt, vorgemerkte umsatze, ausstehend, in bearbeitung, "
    "in behandeling, gereserveerd, en attente, in attesa, oczekujaca, geplant, authorised, authorized, processing, "
    "angekundigt, noch nicht gebucht, nicht gebucht, not booked, reserverat, reserveret, reservert, "
    "preliminar, pendiente, "
    "en cours, in elaborazione, w realizacji"
)
"""Words in the status or date column of what is announced and not booked yet."""

VOID_WORDS: Final = _words(
    "denied, abgelehnt, failed, fehlgeschlagen, expired, abgelaufen, cancelled, canceled, storniert, "
    "declined, voided, "
    "geweigerd, rejected, removed, geloscht, memo, reverted, ruckgangig, afgewezen, rechazado, refuse, "
    "rifiutato, annule, "
    "annullato, anulado, odrzucona, avvist"
)
"""Words in the status or effect column of what never touched the balance."""

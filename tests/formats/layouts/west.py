"""Exports of banks in the Netherlands, Belgium, France, Italy, Spain and Portugal."""
# ruff: noqa: E501  # lines as the banks write them

from __future__ import annotations

from typing import Final

from tests.formats.layouts.layout import BE, ES, IT, NL, PAYER, Layout, known

_NL: Final = (NL, "EUR")
_BE: Final = (BE, "EUR")
_NONE: Final = ("", "EUR")
_OUT: Final = (-120000, "2026-08-06", "BOOK", "Huis BV", PAYER, "Huur")
_IN: Final = (104490, "2026-08-05", "BOOK", "J Muller", PAYER, "SW-10843")
_RENT: Final = (-120000, "2026-08-06", "BOOK", "", "", "LOYER MAISON")
_ORDER: Final = (104490, "2026-08-05", "BOOK", "", "", "VIR J MULLER SW-10843")

WEST: Final = (
    known(
        "ING NL with semicolons, Af Bij, balance, newest first",
        '"Datum";"Naam / Omschrijving";"Rekening";"Tegenrekening";"Code";"Af Bij";"Bedrag (EUR)";"Mutatiesoort";"Mededelingen";"Saldo na mutatie";"Tag"\n'
        f'"20260806";"Huis BV";"{NL}";"{PAYER}";"GT";"Af";"1200,00";"Online bankieren";"Naam: Huis BV Omschrijving: Huur IBAN: {PAYER} Valutadatum: 06-08-2026";"844,90";""\n"20260805";"J Muller";"{NL}";"{PAYER}";"OV";"Bij";"1044,90";"Overschrijving";"Naam: J Muller Omschrijving: SW-10843 IBAN: {PAYER} Valutadatum: 05-08-2026";"2044,90";""\n',
        {_NL: (_OUT, _IN)},
        balances=(100000, 84490),
    ),
    known(
        "ING NL, English",
        '"Date";"Name / Description";"Account";"Counterparty";"Code";"Debit/credit";"Amount (EUR)";"Transaction type";"Notifications";"Resulting balance";"Tag"\n'
        f'"20260806";"Huis BV";"{NL}";"{PAYER}";"GT";"Debit";"1200,00";"Online Banking";"Name: Huis BV Description: Huur IBAN: {PAYER} Value date: 06/08/2026";"844,90";""\n"20260805";"J Muller";"{NL}";"{PAYER}";"OV";"Credit";"1044,90";"Transfer";"Name: J Muller Description: SW-10843 IBAN: {PAYER} Value date: 05/08/2026";"2044,90";""\n',
        {_NL: (_OUT, _IN)},
        balances=(100000, 84490),
    ),
    known(
        "Rabobank, two accounts, signs before the amount, several descriptions, returned payment",
        '"IBAN/BBAN","Munt","BIC","Volgnr","Datum","Rentedatum","Bedrag","Saldo na trn","Tegenrekening IBAN/BBAN","Naam tegenpartij","Naam uiteindelijke partij","Naam initiërende partij","BIC tegenpartij","Code","Batch ID","Transactiereferentie","Machtigingskenmerk","Incassant ID","Betalingskenmerk","Omschrijving-1","Omschrijving-2","Omschrijving-3","Reden retour","Oorspr bedrag","Oorspr munt","Koers"\n'
        f'"{NL}","EUR","RABONL2U","000000000000000001","2026-08-05","2026-08-05","+1044,90","+2044,90","{PAYER}","J Muller","","","COBADEFF","cb","","E1","","","","SW-10843"," "," ","","","",""\n"{NL}","EUR","RABONL2U","000000000000000002","2026-08-06","2026-08-06","-1200,00","+844,90","{PAYER}","Huis BV","","","COBADEFF","tb","","","","","","Huur"," "," ","","","",""\n"{BE}","EUR","RABONL2U","000000000000000001","2026-08-06","2026-08-06","+1,00","+1,00","{PAYER}","J Muller","","","COBADEFF","cb","","E2","","","","SW-","10844"," ","","","",""\n',
        {_NL: (_IN, _OUT), (BE, "EUR"): ((100, "2026-08-06", "BOOK", "J Muller", PAYER, "SW-10844"),)},
        balances=((100000, 84490), (0, 100)),
        encoding="cp1252",
    ),
    known(
        "ABN AMRO, tabs without headings, balances before and after",
        f"417164300\tEUR\t20260805\t1000,00\t2044,90\t20260805\t1044,90\t/TRTP/SEPA OVERBOEKING/IBAN/{PAYER}/BIC/COBADEFF/NAME/J Muller/REMI/SW-10843/EREF/E1\n417164300\tEUR\t20260806\t2044,90\t844,90\t20260806\t-1200,00\t/TRTP/SEPA OVERBOEKING/IBAN/{PAYER}/BIC/COBADEFF/NAME/Huis BV/REMI/Huur/EREF/NOTPROVIDED\n",
        {("417164300", "EUR"): (_IN, _OUT)},
    ),
    Layout(
        "ABN AMRO, sheet with English headings of a program",
        "accountNumber;mutationcode;transactiondate;valuedate;startsaldo;endsaldo;amount;description\n"
        f"417164300;EUR;20260805;20260805;1000,00;2044,90;1044,90;/TRTP/SEPA OVERBOEKING/IBAN/{PAYER}/BIC/COBADEFF/NAME/J Muller/REMI/SW-10843/EREF/E1\n417164300;EUR;20260806;20260806;2044,90;844,90;-1200,00;/TRTP/SEPA OVERBOEKING/IBAN/{PAYER}/BIC/COBADEFF/NAME/Huis BV/REMI/Huur/EREF/NOTPROVIDED\n",
        {("417164300", "EUR"): (_IN, _OUT)},
        balances=(100000, 84490),
    ),
    known(
        "bunq, newer headings with the day of the interest",
        '"Date";"Interest Date";"Amount";"Account";"Counterparty";"Name";"Description"\n'
        f'"2026-08-06";"2026-08-06";"-1.200,00";"{NL}";"{PAYER}";"Huis BV";"Huur"\n"2026-08-05";"2026-08-05";"1.044,90";"{NL}";"{PAYER}";"J Muller";"SW-10843"\n',
        {_NL: (_OUT, _IN)},
    ),
    Layout(
        "Knab: preamble, marks C and D, day with dashes",
        "KNAB EXPORT;;;;;;;;;;;;;;;\nRekeningnummer;Transactiedatum;Valutacode;CreditDebet;Bedrag;Tegenrekeningnummer;Tegenrekeninghouder;Valutadatum;Betaalwijze;Omschrijving;Type betaling;Machtigingsnummer;Incassant ID;Adres;Referentie;Boekdatum;\n"
        f'"{NL}";"06-08-2026";"EUR";"D";"1200,00";"{PAYER}";"Huis BV";"06-08-2026";"Overboeking";"Huur";"Betaling";"";"";"";"C6H06PGFD0000001";"06-08-2026";\n"{NL}";"05-08-2026";"EUR";"C";"1044,90";"{PAYER}";"J Muller";"05-08-2026";"Ontvangen betaling";"SW-10843";"Storting";"";"";"";"C6H05PGFD0000001";"05-08-2026";\n',
        {
            _NL: (
                (-120000, "2026-08-06", "BOOK", "Huis BV", PAYER, "Huur C6H06PGFD0000001"),
                (104490, "2026-08-05", "BOOK", "J Muller", PAYER, "SW-10843 C6H05PGFD0000001"),
            )
        },
    ),
    Layout(
        "Triodos NL: no headings, own account in the second cell, Debet and Credit",
        f'"06-08-2026","{NL}","1.200,00","Debet","Huis BV","{PAYER}","ET","Huur","844,90"\n"05-08-2026","{NL}","1.044,90","Credit","J Muller","{PAYER}","ET","SW-10843","2.044,90"\n',
        {
            _NL: (
                (-120000, "2026-08-06", "BOOK", "", PAYER, "Huis BV Huur"),
                (104490, "2026-08-05", "BOOK", "", PAYER, "J Muller SW-10843"),
            )
        },
        balances=(100000, 84490),
    ),
    Layout(
        "KBC: own account, free and structured communication, credit and debit beside the signed amount",
        "Rekeningnummer;Rubrieknaam;Naam;Munt;Afschriftnummer;Datum;Omschrijving;Valuta;Bedrag;Saldo;credit;debet;rekeningnummer tegenpartij;BIC tegenpartij;Naam tegenpartij;Adres tegenpartij;gestructureerde mededeling;Vrije mededeling\n"
        f"{BE};Zichtrekening;WIJ;EUR; 02026008;06/08/2026;OVERSCHRIJVING NAAR;06/08/2026;-1200,00;844,90;;-1200,00;{PAYER};COBADEFF;Huis BV;;;Huur;\n{BE};Zichtrekening;WIJ;EUR; 02026008;05/08/2026;OVERSCHRIJVING VAN;05/08/2026;1044,90;2044,90;1044,90;;{PAYER};COBADEFF;J Muller;;;SW-10843;\n",
        {
            _BE: (
                (-120000, "2026-08-06", "BOOK", "Huis BV", PAYER, "OVERSCHRIJVING NAAR Huur"),
                (104490, "2026-08-05", "BOOK", "J Muller", PAYER, "OVERSCHRIJVING VAN SW-10843"),
            )
        },
        balances=(100000, 84490),
        encoding="cp1252",
    ),
    Layout(
        "Belfius: preamble with filters, street and town of the other side",
        f"Boekingsdatum vanaf;01/08/2026\nBoekingsdatum tot en met;06/08/2026\nBedrag vanaf;\nBedrag tot en met;\nRekeninguittrekselnummer vanaf;\nMededeling;\nNaam tegenpartij bevat;\nRekening tegenpartij;\nLaatste saldo;844,90 EUR\nDatum/uur van het laatste saldo;06/08/2026 10:00:00\n;\n\n"
        "Rekening;Boekingsdatum;Rekeninguittrekselnummer;Transactienummer;Rekening tegenpartij;Naam tegenpartij bevat;Straat en nummer;Postcode en plaats;Transactie;Valutadatum;Bedrag;Devies;BIC;Landcode;Mededelingen\n"
        f"{BE};06/08/2026;00008;00002;{PAYER};Huis BV;Kerkstraat 1;1000 Brussel;OVERSCHRIJVING NAAR Huis BV Huur;06/08/2026;-1.200,00;EUR;COBADEFF;BE;Huur\n{BE};05/08/2026;00008;00001;{PAYER};J Muller;Dorp 2;9000 Gent;OVERSCHRIJVING VAN J Muller SW-10843;05/08/2026;1.044,90;EUR;COBADEFF;BE;SW-10843\n",
        {_BE: (_OUT, _IN)},
        encoding="cp1252",
    ),
    Layout(
        "BNP Paribas Fortis: sequence number with the year, own account behind",
        "Volgnummer;Uitvoeringsdatum;Valutadatum;Bedrag;Valuta rekening;Rekeningnummer;Type verrichting;Tegenpartij;Naam van de tegenpartij;Mededeling;Details;Status;Reden van weigering\n"
        f"2026-00002;06/08/2026;06/08/2026;-1200,00;EUR;{BE};Overschrijving in euro;{PAYER};Huis BV;Huur;OVERSCHRIJVING IN EURO;Geaccepteerd;\n2026-00001;05/08/2026;05/08/2026;1044,90;EUR;{BE};Overschrijving in euro;{PAYER};J Muller;SW-10843;OVERSCHRIJVING VAN;Geaccepteerd;\n",
        {
            _BE: (
                (-120000, "2026-08-06", "BOOK", "Huis BV", PAYER, "Huur OVERSCHRIJVING IN EURO"),
                (104490, "2026-08-05", "BOOK", "J Muller", PAYER, "SW-10843 OVERSCHRIJVING VAN"),
            )
        },
    ),
    Layout(
        "BNP Paribas: the first row is the account with its balance, no headings of a file",
        "Compte de chèques;****0013;06/08/2026;;844,90 EUR\nDate operation;Categorie operation;Libelle operation;Montant operation;Devise\n06-08-2026;Logement;LOYER MAISON;-1 200,00;EUR\n05-08-2026;Virement;VIR J MULLER SW-10843;1 044,90;EUR\n",
        {_NONE: (_RENT, _ORDER)},
        encoding="cp1252",
    ),
    Layout(
        "LCL: no headings, the last row is the balance",
        "06/08/2026;-1200,00;Virement;;LOYER MAISON;;0;Divers\n05/08/2026;1044,90;Virement;;VIR J MULLER SW-10843;;0;Divers\n04/08/2026;10,00;Virement;;VIR U KERN SW-10842;;0;Divers\n",
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "", "", "LOYER MAISON"),
                (104490, "2026-08-05", "BOOK", "", "", "VIR J MULLER SW-10843"),
                (1000, "2026-08-04", "BOOK", "", "", "VIR U KERN SW-10842"),
            )
        },
        encoding="cp1252",
    ),
    Layout(
        "Crédit Agricole: long preamble, text over several lines, debit and credit with their currency",
        "Téléchargement du 06/08/2026;\n\n\nM. NOUS;\nCompte de Dépôt carte n° 12345678901;\nSolde au 06/08/2026 844,90 €\n\nListe des opérations du compte entre le 01/08/2026 et le 06/08/2026;\n\nDate;Libellé;Débit Euros;Crédit Euros;\n"
        '06/08/2026;"LOYER MAISON\n";1 200,00;;\n05/08/2026;"VIR J MULLER    \nSW-10843\n\n";;1 044,90;\n',
        {_NONE: (_RENT, _ORDER)},
        encoding="cp1252",
    ),
    Layout(
        "Boursorama: thousands parted by a narrow blank, number of the account in each row",
        "dateOp;dateVal;label;category;categoryParent;supplierFound;amount;comment;accountNum;accountLabel;accountbalance\n"
        '2026-08-06;2026-08-06;"LOYER MAISON";Loyer;Logement;maison;"-1\u202f200,00";;00040123456;BoursoBank;844.90\n2026-08-05;2026-08-05;"VIR J MULLER SW-10843";Virements;Virements;;"1\u202f044,90";;00040123456;BoursoBank;844.90\n',
        {("00040123456", "EUR"): (_RENT, _ORDER)},
        encoding="utf-8-sig",
    ),
    Layout(
        "Société Générale: account in the first row, detail of the entry beside its label",
        "=\"0000400051332\";01/08/2026;06/08/2026;2;06/08/2026;844,90 EUR\n\nDate de l'opération;Libellé;Détail de l'écriture;Montant de l'opération;Devise\n06/08/2026;PRLV;LOYER MAISON;-1200,00;EUR\n05/08/2026;VIR RECU;VIR J MULLER SW-10843;1044,90;EUR\n",
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "", "", "PRLV LOYER MAISON"),
                (104490, "2026-08-05", "BOOK", "", "", "VIR RECU VIR J MULLER SW-10843"),
            )
        },
        encoding="cp1252",
    ),
    Layout(
        "La Banque Postale: amounts in euros and in francs are never two amounts",
        "Numéro Compte   ;1234567A020\nType         ;CCP\nCompte tenu en  ;euros\nDate            ;06/08/2026\nSolde (EUROS)   ;844,90\n\nDate;Libellé;Montant(EUROS)\n06/08/2026;LOYER MAISON;-1200,00\n05/08/2026;VIR J MULLER SW-10843;1044,90\n",
        {_NONE: (_RENT, _ORDER)},
        encoding="cp1252",
    ),
    Layout(
        "Intesa Sanpaolo: sheet with a long preamble, US thousands, booked and not booked rows",
        "Lista Movimenti;;;;;;;\n\nConto:;Conto 1000/12345;;;;;;\nPeriodo: dal 01.08.2026 al 06.08.2026;;;;;;;\n\nData;Operazione;Dettagli;Conto o carta;Contabilizzazione;Categoria ;Valuta;Importo\n"
        "06/08/2026;Affitto;LOYER MAISON;Conto 1000/12345;CONTABILIZZATO;Casa;EUR;-1200\n05/08/2026;Bonifico;VIR J MULLER SW-10843;Conto 1000/12345;CONTABILIZZATO;Entrate;EUR;1044.9\n07/08/2026;Carta;Negozio;Conto 1000/12345;NON CONTABILIZZATO;Spesa;EUR;-5.5\n",
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "", "", "Affitto LOYER MAISON"),
                (104490, "2026-08-05", "BOOK", "", "", "Bonifico VIR J MULLER SW-10843"),
                (-550, "2026-08-07", "PDNG", "", "", "Carta Negozio"),
            )
        },
    ),
    Layout(
        "FinecoBank: Entrate and Uscite, uscite with a minus, not booked yet in the state",
        "Conto Corrente: 1234567\nIntestazione Conto Corrente: NOI\nPeriodo Dal: 01/08/2026 Al: 06/08/2026\n\nData_Operazione;Data_Valuta;Entrate;Uscite;Descrizione;Descrizione_Completa;Stato;Moneymap\n"
        "06/08/2026;06/08/2026;;-1200,00;Affitto;LOYER MAISON;Contabilizzato;Casa\n05/08/2026;05/08/2026;1044,90;;Bonifico;VIR J MULLER SW-10843;Contabilizzato;\n",
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "", "", "Affitto LOYER MAISON"),
                (104490, "2026-08-05", "BOOK", "", "", "Bonifico VIR J MULLER SW-10843"),
            )
        },
    ),
    Layout(
        "UniCredit IT: Dare and Avere, days with dots",
        f"IBAN;{IT}\nData Registrazione;Data valuta;Descrizione;Importo (EUR)\n06.08.2026;06.08.2026;LOYER MAISON;-1.200,00\n05.08.2026;05.08.2026;VIR J MULLER SW-10843;1.044,90\n",
        {(IT, "EUR"): (_RENT, _ORDER)},
    ),
    Layout(
        "Santander ES: preamble, balance beside, days with slashes",
        f"Cuenta:;{ES}\nTitular:;NOSOTROS\nSaldo:;844,90 EUR\n\nFECHA OPERACIÓN;FECHA VALOR;CONCEPTO;IMPORTE EUR;SALDO\n06/08/2026;06/08/2026;LOYER MAISON;-1.200,00;844,90\n05/08/2026;05/08/2026;VIR J MULLER SW-10843;1.044,90;2.044,90\n",
        {(ES, "EUR"): (_RENT, _ORDER)},
        balances=(100000, 84490),
        encoding="cp1252",
    ),
    Layout(
        "BBVA: days and amounts twice, balance available",
        "Últimos movimientos\n\nF.Valor;Fecha;Concepto;Movimiento;Importe;Divisa;Disponible;Divisa;Observaciones\n06/08/2026;06/08/2026;Transferencia;LOYER MAISON;-1.200,00;EUR;844,90;EUR;\n05/08/2026;05/08/2026;Abono;VIR J MULLER SW-10843;1.044,90;EUR;2.044,90;EUR;\n",
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "", "", "Transferencia LOYER MAISON"),
                (104490, "2026-08-05", "BOOK", "", "", "Abono VIR J MULLER SW-10843"),
            )
        },
        encoding="cp1252",
    ),
    Layout(
        "CaixaBank: plus and currency glued to the amount",
        "Concepto;Fecha;Importe;Saldo\nLOYER MAISON;06/08/2026;-1.200,00EUR;+844,90EUR\nVIR J MULLER SW-10843;05/08/2026;+1.044,90EUR;+2.044,90EUR\n",
        {_NONE: (_RENT, _ORDER)},
        balances=(100000, 84490),
    ),
    Layout(
        "Caixa Geral: Débito and Crédito, opening and closing balance above, closing row",
        "Consultar saldos e movimentos à ordem - 06-08-2026\n\nConta ;0123456789012 - EUR - Conta Extracto\nData de início ;01-08-2026\nData de fim ;06-08-2026\n\nData mov. ;Data valor ;Descrição ;Débito ;Crédito ;Saldo contabilístico ;Saldo disponível ;Categoria ;\n"
        "06-08-2026;06-08-2026;LOYER MAISON ;1.200,00;;844,90;844,90;Diversos ;\n05-08-2026;05-08-2026;VIR J MULLER SW-10843 ;;1.044,90;2.044,90;2.044,90;Diversos ;\n ; ; ; ;Saldo contabilístico ;844,90 ; ; ;\n",
        {_NONE: (_RENT, _ORDER)},
        balances=(100000, 84490),
        encoding="cp1252",
    ),
)

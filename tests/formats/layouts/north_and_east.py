"""Exports of banks in Poland, Czechia, the Nordic countries, the United Kingdom, and of those in several countries."""
# ruff: noqa: E501  # lines as the banks write them

from __future__ import annotations

from typing import Final

from tests.formats.layouts.layout import CZ, PAYER, PL, Layout, known

_NONE: Final = ("", "EUR")
_PLN: Final = ("", "PLN")
_RENT: Final = (-120000, "2026-08-06", "BOOK", "", "", "Rent House Ltd")
_ORDER: Final = (104490, "2026-08-05", "BOOK", "", "", "J Muller SW-10843")

NORTH_AND_EAST: Final = (
    Layout(
        "mBank: preamble of twenty lines, headings with a hash, amount with its currency, windows-1250",
        f"mBank S.A. Bankowość Detaliczna;\nSkrytka Pocztowa 2108;\n\n#Klient;\nMY SP. Z O.O.;\n\nLista operacji;\n\n#Za okres:;\n01.08.2026;06.08.2026;\n\n#zgodnie z wybranymi filtrami wyszukiwania;\n#dla rachunków:;\nmBiznes - {PL[2:]};\n\n#Waluta;#Wpływy;#Wydatki;\nPLN;1 044,90;-1 200,00;\n\n"
        '#Data operacji;#Opis operacji;#Rachunek;#Kategoria;#Kwota;\n2026-08-06;"CZYNSZ DOM";"mBiznes";"Mieszkanie";-1 200,00 PLN;;\n2026-08-05;"JAN MĄDRY SW-10843 PRZELEW";"mBiznes";"Wpływy";1 044,90 PLN;;\n',
        {
            ("", "PLN"): (
                (-120000, "2026-08-06", "BOOK", "", "", "CZYNSZ DOM"),
                (104490, "2026-08-05", "BOOK", "", "", "JAN MĄDRY SW-10843 PRZELEW"),
            )
        },
        encoding="cp1250",
        own=PL,
    ),
    Layout(
        "PKO BP: comma, labels within several cells without a name, balance",
        '"Data operacji","Data waluty","Typ transakcji","Kwota","Waluta","Saldo po transakcji","Opis transakcji","","","",""\n'
        '"2026-08-06","2026-08-06","Przelew z rachunku","-1200.00","PLN","+844.90","Rachunek odbiorcy : 61 1090 1014 0000 0712 1981 2874","Nazwa odbiorcy : DOM SP. Z O.O.","Tytuł : CZYNSZ","",""\n"2026-08-05","2026-08-05","Przelew na konto","+1044.90","PLN","+2044.90","Rachunek nadawcy : 61 1090 1014 0000 0712 1981 2874","Nazwa nadawcy : JAN MĄDRY","Tytuł : SW-10843","",""\n',
        {
            _PLN: (
                (-120000, "2026-08-06", "BOOK", "DOM SP. Z O.O.", PL, "CZYNSZ"),
                (104490, "2026-08-05", "BOOK", "JAN MĄDRY", PL, "SW-10843"),
            )
        },
        balances=(100000, 84490),
        encoding="cp1250",
    ),
    Layout(
        "ING PL: preamble, apostrophes before numbers, amount blocked and released in columns of their own",
        '"Lista transakcji";;"ING Bank Śląski S.A."\n"Dokument nr 0001"\n\n"Data transakcji";"Data księgowania";"Dane kontrahenta";"Tytuł";"Nr rachunku";"Nazwa banku";"Szczegóły";"Nr transakcji";"Kwota transakcji (waluta rachunku)";"Waluta";"Kwota blokady/zwolnienie blokady";"Waluta";"Kwota płatności w walucie";"Waluta";"Konto";"Saldo po transakcji";"Waluta";;;\n'
        f'2026-08-06;2026-08-06;" DOM SP. Z O.O. ";" CZYNSZ ";\'{PL[2:]} \';"BANK";"PRZELEW ";\'202621801\' ;-1200,00;PLN;;;;;"Konto";844,90;PLN;;;\n2026-08-05;2026-08-05;" JAN MĄDRY ";" SW-10843 ";\'{PL[2:]} \';"BANK";"PRZELEW ";\'202621701\' ;1044,90;PLN;;;;;"Konto";2044,90;PLN;;;\n',
        {
            _PLN: (
                (-120000, "2026-08-06", "BOOK", "DOM SP. Z O.O.", PL, "CZYNSZ PRZELEW"),
                (104490, "2026-08-05", "BOOK", "JAN MĄDRY", PL, "SW-10843 PRZELEW"),
            )
        },
        balances=(100000, 84490),
        encoding="cp1250",
    ),
    Layout(
        "Santander PL: no headings but a first row of the account, day and title",
        f'2026-08-06;01-08-2026;\'{PL[2:]};MY SP. Z O.O.;PLN;"1000,00";"844,90";2\n06-08-2026;06-08-2026;CZYNSZ;DOM SP. Z O.O.;\'{PL[2:]};"-1200,00";"844,90";2\n05-08-2026;05-08-2026;SW-10843;JAN MĄDRY;\'{PL[2:]};"1044,90";"2044,90";1\n',
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "", "", "CZYNSZ DOM SP. Z O.O."),
                (104490, "2026-08-05", "BOOK", "", "", "SW-10843 JAN MĄDRY"),
            )
        },
        unreadable=1,
    ),
    Layout(
        "Fio: preamble with sums, volumes and symbols, name of the other account",
        f"accountId;2000145399\nbankId;2010\ncurrency;CZK\niban;{CZ}\nbic;FIOBCZPPXXX\nopeningBalance;1000,00\nclosingBalance;844,90\ndateStart;01.08.2026\ndateEnd;06.08.2026\nidFrom;1\nidTo;2\n\n"
        "ID operace;Datum;Objem;Měna;Protiúčet;Název protiúčtu;Kód banky;Název banky;KS;VS;SS;Poznámka;Zpráva pro příjemce;Typ;Provedl;Upřesnění;Poznámka;BIC;ID pokynu\n"
        "26000000001;05.08.2026;1044,90;CZK;123456789;Novák Jiří;0800;Česká spořitelna;;20264711;;;SW-10843;Příjem převodem uvnitř banky;;;;;1\n26000000002;06.08.2026;-1200,00;CZK;123456789;Dům s.r.o.;0800;Česká spořitelna;;;;;Nájem;Platba převodem uvnitř banky;;;;;2\n",
        {
            (CZ, "CZK"): (
                (104490, "2026-08-05", "BOOK", "Novák Jiří", "123456789", "20264711 SW-10843"),
                (-120000, "2026-08-06", "BOOK", "Dům s.r.o.", "123456789", "Nájem"),
            )
        },
        encoding="utf-8-sig",
    ),
    Layout(
        "ČSOB: comment above the headings, amounts with a comma, own number in each row",
        "Pohyby na účtu 123456789/0300;;\n\nčíslo účtu;datum zaúčtování;částka;měna;zůstatek;číslo účtu protiúčtu;kód banky protiúčtu;název účtu protiúčtu;konstantní symbol;variabilní symbol;specifický symbol;označení operace;ID transakce;poznámka\n"
        "123456789;06.08.2026;-1200,00;CZK;844,90;987654321;0800;DŮM S.R.O.;;;;Odchozí úhrada;2;NÁJEM\n123456789;05.08.2026;1044,90;CZK;2044,90;987654321;0800;NOVÁK JIŘÍ;;20264711;;Příchozí úhrada;1;SW-10843\n",
        {
            ("123456789", "CZK"): (
                (-120000, "2026-08-06", "BOOK", "DŮM S.R.O.", "987654321", "NÁJEM"),
                (104490, "2026-08-05", "BOOK", "NOVÁK JIŘÍ", "987654321", "20264711 SW-10843"),
            )
        },
        balances=(100000, 84490),
        encoding="cp1250",
    ),
    Layout(
        "Nordea FI, headings in Finnish, amount with a comma, tabs",
        "Tilinumero\tFI2112345600000785\n\nKirjauspäivä\tArvopäivä\tMaksupäivä\tMäärä\tSaaja/Maksaja\tTilinumero\tBIC\tTapahtuma\tViite\tMaksajan viite\tViesti\tKortinnumero\tKuitti\t\n"
        f"06.08.2026\t06.08.2026\t06.08.2026\t-1200,00\tTalo Oy\t{PAYER}\tCOBADEFF\tTilisiirto\t\t\tVuokra\t\t\t\n05.08.2026\t05.08.2026\t05.08.2026\t+1044,90\tJ Muller\t{PAYER}\tCOBADEFF\tTilisiirto\t\t\tSW-10843\t\t\t\n",
        {
            ("FI2112345600000785", "EUR"): (
                (-120000, "2026-08-06", "BOOK", "Talo Oy", PAYER, "Vuokra"),
                (104490, "2026-08-05", "BOOK", "J Muller", PAYER, "SW-10843"),
            )
        },
    ),
    Layout(
        "Nordea SE, days with slashes and the year first, one column for each side",
        "Bokföringsdag;Belopp;Avsändare;Mottagare;Namn;Rubrik;Saldo;Valuta\n2026/08/06;-1200,00;3300 123456-7;;;Rent House Ltd;844,90;SEK\n2026/08/05;1044,90;;3300 123456-7;;J Muller SW-10843;2044,90;SEK\n",
        {("", "SEK"): (_RENT, _ORDER)},
        balances=(100000, 84490),
    ),
    Layout(
        "SEB SE: verification number, thousands parted by a blank",
        "Bokföringsdag;Valutadag;Verifikationsnummer;Text;Belopp;Saldo\n2026-08-06;2026-08-06;5490990004;Rent House Ltd;-1 200,00;844,90\n2026-08-05;2026-08-05;5490990003;J Muller SW-10843;1 044,90;2 044,90\n",
        {_NONE: (_RENT, _ORDER)},
        balances=(100000, 84490),
    ),
    Layout(
        "Danske Bank: balance, state and reconciled beside, thousands with a dot",
        '"Dato";"Tekst";"Beløb";"Saldo";"Status";"Afstemt"\n"05.08.2026";"J Muller SW-10843";"1.044,90";"2.044,90";"Udført";"Nej"\n"06.08.2026";"Rent House Ltd";"-1.200,00";"844,90";"Udført";"Nej"\n"07.08.2026";"Strøm";"-80,00";"";"Venter";"Nej"\n',
        {_NONE: (_ORDER, _RENT, (-8000, "2026-08-07", "PDNG", "", "", "Strøm"))},
        balances=(100000, 84490),
        encoding="cp1252",
    ),
    Layout(
        "Swedbank SE: a remark above, clearing and account number in each row, row number",
        "* Transaktioner Period 2026-08-01 - 2026-08-06 Skapad 2026-08-06 10:00 CEST\nRadnummer,Clearingnummer,Kontonummer,Produkt,Valuta,Bokföringsdag,Transaktionsdag,Valutadag,Referens,Beskrivning,Belopp,Bokfört saldo\n"
        "1,81059,9744202466,Företagskonto,SEK,2026-08-06,2026-08-06,2026-08-06,Rent House Ltd,Betalning,-1200.00,844.90\n2,81059,9744202466,Företagskonto,SEK,2026-08-05,2026-08-05,2026-08-05,J Muller SW-10843,Insättning,1044.90,2044.90\n",
        {
            ("9744202466", "SEK"): (
                (-120000, "2026-08-06", "BOOK", "", "", "Rent House Ltd Betalning"),
                (104490, "2026-08-05", "BOOK", "", "", "J Muller SW-10843 Insättning"),
            )
        },
        balances=(100000, 84490),
        encoding="cp1252",
    ),
    Layout(
        "DNB: in and out without a sign, archive reference",
        '"Dato";"Forklaring";"Rentedato";"Ut fra konto";"Inn på konto"\n"06.08.2026";"Rent House Ltd";"06.08.2026";"1200,00";""\n"05.08.2026";"J Muller SW-10843";"05.08.2026";"";"1044,90"\n',
        {_NONE: (_RENT, _ORDER)},
        encoding="cp1252",
    ),
    Layout(
        "LHV: sign mark D and C beside a signed amount, fee in a column of its own",
        "Customer account no,Document no,Date,Sender/receiver account,Sender/receiver name,Sender bank code,Empty,Debit/Credit (D/C),Amount,Reference number,Archiving code,Description,Fee,Currency,Personal code or register code,Sender/receiver bank BIC,Originator,Transaction reference,Account servicer reference\n"
        f"EE382200221020145685,1,2026-08-06,{PAYER},House Ltd,,,D,-1200.00,,A2,Rent,0.00,EUR,,COBADEFF,,,R2\nEE382200221020145685,2,2026-08-05,{PAYER},J Muller,,,C,1044.90,,A1,SW-10843,0.00,EUR,,COBADEFF,,E1,R1\n",
        {
            ("EE382200221020145685", "EUR"): (
                (-120000, "2026-08-06", "BOOK", "House Ltd", PAYER, "Rent"),
                (104490, "2026-08-05", "BOOK", "J Muller", PAYER, "SW-10843"),
            )
        },
    ),
    known(
        "Revolut, two currencies in one file, fee beside the amount, reverted and pending rows",
        "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n"
        "TOPUP,Current,2026-08-05 09:00:00,2026-08-05 09:00:10,J Muller SW-10843,1044.90,0.00,EUR,COMPLETED,2044.90\nTRANSFER,Current,2026-08-06 09:00:00,2026-08-06 09:00:10,Rent House Ltd,-1199.00,1.00,EUR,COMPLETED,844.90\nTOPUP,Current,2026-08-06 09:00:00,2026-08-06 09:00:10,SW-10844,10.00,0.00,GBP,COMPLETED,10.00\nCARD_PAYMENT,Current,2026-08-06 10:00:00,,Shop,-5.00,0.00,EUR,REVERTED,\nCARD_PAYMENT,Current,2026-08-06 11:00:00,,Cafe,-6.00,0.00,EUR,PENDING,\n",
        {
            _NONE: (
                _ORDER,
                (-120000, "2026-08-06", "BOOK", "", "", "Rent House Ltd"),
                (-500, "", "INFO", "", "", "Shop"),
                (-600, "", "PDNG", "", "", "Cafe"),
            ),
            ("", "GBP"): ((1000, "2026-08-06", "BOOK", "", "", "SW-10844"),),
        },
        balances=((100000, 84490), (0, 1000)),
    ),
    Layout(
        "Revolut Business: own headings, account and other side, fee within",
        "Date started (UTC),Date completed (UTC),ID,Type,State,Description,Reference,Payer,Card number,Orig currency,Orig amount,Payment currency,Amount,Total amount,Exchange rate,Fee,Fee currency,Balance,Account,Beneficiary account number,Beneficiary sort code or routing number,Beneficiary IBAN,Beneficiary BIC\n"
        f"2026-08-06,2026-08-06,aaaa-2,TRANSFER,COMPLETED,To House Ltd,Rent,,,EUR,-1199.00,EUR,-1199.00,-1200.00,,1.00,EUR,844.90,Main,,,{PAYER},COBADEFF\n2026-08-05,2026-08-05,aaaa-1,TOPUP,COMPLETED,Money added from J Muller,SW-10843,J Muller,,EUR,1044.90,EUR,1044.90,1044.90,,0.00,EUR,2044.90,Main,,,,\n",
        {
            ("", "EUR"): (
                (-120000, "2026-08-06", "BOOK", "", PAYER, "To House Ltd Rent"),
                (104490, "2026-08-05", "BOOK", "J Muller", "", "Money added from J Muller SW-10843"),
            )
        },
        balances=(100000, 84490),
    ),
    Layout(
        "Wise: day with dashes, balance, exchange columns, payer and payee, fee within the amount",
        '"TransferWise ID",Date,"Date Time",Amount,Currency,Description,"Payment Reference","Running Balance","Exchange From","Exchange To","Exchange Rate","Payer Name","Payee Name","Payee Account Number",Merchant,"Card Last Four Digits","Card Holder Full Name",Attachment,Note,"Total fees","Exchange To Amount","Transaction Type","Transaction Details Type"\n'
        f'"TRANSFER-2",06-08-2026,"06-08-2026 10:00:00.000",-1200.00,EUR,"Sent money to House Ltd",Rent,844.90,,,,,"House Ltd",{PAYER},,,,,,0.60,,DEBIT,TRANSFER\n"TRANSFER-1",05-08-2026,"05-08-2026 10:00:00.000",1044.90,EUR,"Received money from J Muller",SW-10843,2044.90,,,,"J Muller",,,,,,,,0.00,,CREDIT,DEPOSIT\n',
        {
            _NONE: (
                (-120000, "2026-08-06", "BOOK", "House Ltd", PAYER, "Sent money to House Ltd Rent"),
                (104490, "2026-08-05", "BOOK", "J Muller", "", "Received money from J Muller SW-10843"),
            )
        },
        balances=(100000, 84490),
    ),
    Layout(
        "Monzo: money out and in beside the amount, local amount and currency, pounds",
        "Transaction ID,Date,Time,Type,Name,Emoji,Category,Amount,Currency,Local amount,Local currency,Notes and #tags,Address,Receipt,Description,Category split,Money Out,Money In\n"
        "tx_0002,06/08/2026,10:00:00,Faster payment,House Ltd,,Bills,-1200.00,GBP,-1200.00,GBP,,,,Rent,,-1200.00,\ntx_0001,15/08/2026,10:00:00,Faster payment,J Muller,,Income,1044.90,GBP,1130.00,EUR,,,,SW-10843,,,1044.90\n",
        {
            ("", "GBP"): (
                (-120000, "2026-08-06", "BOOK", "House Ltd", "", "Rent"),
                (104490, "2026-08-15", "BOOK", "J Muller", "", "SW-10843"),
            )
        },
    ),
    Layout(
        "Starling: pounds in the headings, counter party, balance",
        "Date,Counter Party,Reference,Type,Amount (GBP),Balance (GBP),Spending Category,Notes\n05/08/2026,J Muller,SW-10843,FASTER PAYMENT,1044.90,2044.90,INCOME,\n16/08/2026,House Ltd,Rent,FASTER PAYMENT,-1200.00,844.90,BILLS_AND_SERVICES,\n",
        {
            ("", "GBP"): (
                (104490, "2026-08-05", "BOOK", "J Muller", "", "SW-10843"),
                (-120000, "2026-08-16", "BOOK", "House Ltd", "", "Rent"),
            )
        },
        balances=(100000, 84490),
    ),
    Layout(
        "Barclays: number, sort code and account in each row, category, memo over columns of blanks",
        "Number,Date,Account,Amount,Subcategory,Memo\n ,16/08/2026,20-00-00 12345678,-1200.00,Direct Debit,HOUSE LTD      \t RENT\n ,05/08/2026,20-00-00 12345678,1044.90,Counter Credit,J MULLER      \t SW-10843 BGC\n",
        {
            ("20-00-0012345678", "EUR"): (
                (-120000, "2026-08-16", "BOOK", "", "", "HOUSE LTD      \t RENT"),
                (104490, "2026-08-05", "BOOK", "", "", "J MULLER      \t SW-10843 BGC"),
            )
        },
    ),
    Layout(
        "HSBC and NatWest: day, type, description, value, balance, own number behind",
        'Date, Type, Description, Value, Balance, Account Name, Account Number\n16/08/2026,BAC,"\'Rent House Ltd",-1200.00,844.90,"\'US","\'600000-12345678",\n05/08/2026,BAC,"\'J Muller SW-10843",1044.90,2044.90,"\'US","\'600000-12345678",\n',
        {
            ("600000-12345678", "EUR"): (
                (-120000, "2026-08-16", "BOOK", "", "", "Rent House Ltd"),
                (104490, "2026-08-05", "BOOK", "", "", "J Muller SW-10843"),
            )
        },
        balances=(100000, 84490),
    ),
    Layout(
        "Lloyds: sort code with an apostrophe, debit and credit without a sign",
        "Transaction Date,Transaction Type,Sort Code,Account Number,Transaction Description,Debit Amount,Credit Amount,Balance\n16/08/2026,DD,'30-00-00,12345678,Rent House Ltd,1200.00,,844.90\n05/08/2026,BGC,'30-00-00,12345678,J Muller SW-10843,,1044.90,2044.90\n",
        {
            ("12345678", "EUR"): (
                (-120000, "2026-08-16", "BOOK", "", "", "Rent House Ltd"),
                (104490, "2026-08-05", "BOOK", "", "", "J Muller SW-10843"),
            )
        },
        balances=(100000, 84490),
    ),
    Layout(
        "a bank in the USA: month first, check number, amount with a sign, balance",
        "Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #\nDEBIT,08/16/2026,Rent House Ltd,-1200.00,ACH_DEBIT,844.90,,\nCREDIT,08/05/2026,J Muller SW-10843,1044.90,ACH_CREDIT,2044.90,,\n",
        {
            _NONE: (
                (-120000, "2026-08-16", "BOOK", "", "", "DEBIT Rent House Ltd"),
                (104490, "2026-08-05", "BOOK", "", "", "CREDIT J Muller SW-10843"),
            )
        },
        balances=(100000, 84490),
    ),
)

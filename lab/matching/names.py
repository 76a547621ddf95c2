"""Names, places and companies per country: frequent ones from own lists, rare ones built from syllables."""

from __future__ import annotations

from random import Random
from typing import Final

MALE: Final[dict[str, str]] = {
    "DE": "Thomas Michael Andreas Peter Stefan Christian Markus Klaus Jürgen Uwe Frank Martin Wolfgang Bernd Dieter "
    "Jörg Günther Horst Hans-Jürgen Karl-Heinz Björn Lukas Finn Jonas Leon Maximilian Mehmet Mustafa Ali Sergej "
    "Heinz Manfred Rainer Torsten Sven Dirk Ralf Matthias Sebastian Daniel Tobias Florian Götz Sören",
    "AT": "Franz Josef Johann Karl Alois Herbert Gerhard Helmut Anton Georg Leopold Walter Christoph Lukas Paul "
    "Raphael Matthäus Gottfried Ernst Rudolf Siegfried Dominik Philipp",
    "CH": "Urs Beat Reto Hansruedi Daniel Marco Luca Jean-Pierre Laurent Giovanni Ueli Köbi Andreas Roland Bruno "
    "Jürg Christoph Fabian Nicolas Matthias Noël René Andrea Simon",
    "NL": "Jan Piet Kees Henk Willem Johannes Cornelis Gerrit Pieter Sander Bram Daan Sem Jeroen Maarten Joost Rik "
    "Bas Thijs Ruben Wouter Hendrik Koen",
    "FR": "Jean Pierre Michel André Philippe Alain Bernard Jean-Luc François Nicolas Julien Frédéric Sébastien "
    "Gérard Étienne Benoît Rémi Thierry Loïc Yannick Mathéo Hugo",
    "PL": "Jan Andrzej Piotr Krzysztof Stanisław Tomasz Paweł Józef Marcin Marek Michał Grzegorz Łukasz Wojciech "
    "Zbigniew Rafał Jacek Mateusz Bartłomiej Kamil Sławomir Radosław",
}
FEMALE: Final[dict[str, str]] = {
    "DE": "Ursula Maria Monika Petra Elisabeth Sabine Renate Karin Helga Brigitte Ingrid Erika Andrea Gisela Claudia "
    "Susanne Nicole Stefanie Julia Katharina Anna Lena Käthe Bärbel Jördis Heike Birgit Anja Emine Fatma Olga "
    "Hannelore Christa Gerda Silke Martina Kerstin Ulrike Angelika",
    "AT": "Maria Anna Margarete Elisabeth Gertrude Hildegard Eva Christine Theresia Johanna Magdalena Barbara "
    "Andrea Sandra Rosa Franziska Hermine Michaela Zäzilia Notburga",
    "CH": "Ruth Verena Elisabeth Vreni Heidi Margrit Nicole Sandra Silvia Chantal Françoise Giulia Claudia Karin "
    "Esther Regula Ursina Annelies Béatrice Corinne Doris Rahel",
    "NL": "Maria Johanna Anna Cornelia Wilhelmina Sanne Lotte Femke Marieke Anouk Iris Emma Fleur Ingrid Annemarie "
    "Saskia Petra Els Mieke Loes Marjolein Zoë",
    "FR": "Marie Nathalie Isabelle Sylvie Catherine Françoise Valérie Céline Hélène Anaïs Chloé Camille Sandrine "
    "Véronique Monique Élodie Aurélie Brigitte Noémie Solène",
    "PL": "Anna Maria Katarzyna Małgorzata Agnieszka Barbara Krystyna Ewa Elżbieta Zofia Teresa Magdalena Joanna "
    "Monika Danuta Irena Grażyna Żaneta Bożena Świętosława Halina Beata",
}
LAST: Final[dict[str, str]] = {
    "DE": "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter "
    "Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Schmitt Werner Krause Meier "
    "Lehmann Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Peters Lang Scholz Möller Weiß Jung Hahn Vogel "
    "Keller Günther Frank Berger Winkler Roth Beck Lorenz Baumann Franke Albrecht Schuster Böhm Winter Kraus "
    "Yılmaz Kaya Demir Öztürk Nowak Iwanow Großmann Strauß Voß",
    "AT": "Gruber Huber Bauer Wagner Müller Pichler Steiner Moser Mayer Hofer Leitner Berger Fuchs Eder Fischer "
    "Schmid Winkler Weber Schwarz Maier Schneider Reiter Mayr Wimmer Egger Brunner Lang Baumgartner Auer Binder "
    "Lechner Wallner Aigner Ebner Koller Lehner Haas Schuster Höller Kröll Größinger",
    "CH": "Müller Meier Schmid Keller Weber Huber Schneider Meyer Steiner Fischer Gerber Brunner Baumann "
    "Frei Zimmermann Moser Widmer Wyss Graf Roth Suter Baumgartner Bachmann Bucher Kunz Hofer Bühler Lüthi Rüegg "
    "Zürcher Nägeli Favre Rochat Bernasconi Rossi Hürlimann Amstutz Ochsner",
    "NL": "de Jong|Jansen|de Vries|van den Berg|van Dijk|Bakker|Janssen|Visser|Smit|Meijer|de Boer|Mulder|de Groot|Bos|"
    "Vos|Peters|Hendriks|van Leeuwen|Dekker|Brouwer|de Wit|Dijkstra|Smits|de Graaf|van der Meer|van der Linden|Kok|"
    "Jacobs|de Haan|Vermeulen|van den Heuvel|van 't Hof|Timmermans|Kuiper|Postma",
    "FR": "Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent Lefebvre Michel Garcia "
    "David Bertrand Roux Vincent Fournier Morel Girard André Lefèvre Mercier Dupont Lambert Bonnet François Martinez "
    "Legrand Garnier Faure Rousseau Blanc Guérin Boyer Chevalier Desjardins Béranger",
    "PL": "Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak Dąbrowski "
    "Kozłowski Jankowski Mazur Kwiatkowski Krawczyk Kaczmarek Piotrowski Grabowski Zając Pawłowski Michalski Król "
    "Wieczorek Jabłoński Wróbel Nowicki Majewski Olszewski Stępień Malinowski Jaworski Górski Żak Ślusarczyk",
}
CITIES: Final[dict[str, str]] = {
    "DE": "Berlin|Hamburg|München|Köln|Frankfurt am Main|Leipzig|Nürnberg|Gütersloh|Bad Tölz|Kiel|Mölln|Plauen|Ulm",
    "AT": "Wien|Graz|Linz|Salzburg|St. Pölten|Wörgl|Dornbirn|Villach|Mödling|Krems an der Donau",
    "CH": "Zürich|Genève|Basel|Bern|Winterthur|Luzern|St. Gallen|Köniz|Lugano|Neuchâtel|Zug",
    "NL": "Amsterdam|Rotterdam|Utrecht|Eindhoven|Groningen|Tilburg|'s-Hertogenbosch|Zwolle|Enschede",
    "FR": "Paris|Lyon|Marseille|Strasbourg|Saint-Étienne|Orléans|Besançon|Metz|Nîmes|Mulhouse",
    "PL": "Warszawa|Kraków|Łódź|Wrocław|Poznań|Gdańsk|Szczecin|Bydgoszcz|Zielona Góra|Białystok",
}
_STREETS: Final = {
    "DE": "{}straße|{}weg|Am {}berg|{}allee|{}gasse",
    "AT": "{}gasse|{}straße|{}ring",
    "CH": "{}strasse|{}weg|Rue de {}",
    "NL": "{}straat|{}laan|{}weg",
    "FR": "rue {}|avenue {}|impasse {}",
    "PL": "ul. {}|al. {}|os. {}",
}
_STEMS: Final = [
    "Linden",
    "Garten",
    "Bahnhof",
    "Schul",
    "Kirch",
    "Mühl",
    "Berg",
    "Wiesen",
    "Rosen",
    "Haupt",
    "Ring",
    "Eichen",
    "Post",
    "Bach",
    "Tal",
    "Sonnen",
]
_SYLLABLES: Final[dict[str, tuple[str, str, str]]] = {
    "DE": (
        "Ach Bern Dör Eck Fal Grün Hag Kal Lamp Mörs Nied Ost Pfeif Rott Stein Tröl Wack Zell",
        "a e er el",
        "mann ke ner hardt ing sch bach feld hoff recht le",
    ),
    "AT": (
        "Ober Unter Hinter Kirch Stein Wald Neu Hoch Brand Mitter Schön Puch",
        "er",
        "huber leitner egger berger hofer mayr reiter lechner",
    ),
    "CH": (
        "Am Bür Flü Gug Hür Ing Käl Läu Mär Nüss Oeh Rüt Stö Wüth",
        "e i er",
        "gi ler mann rich li ger isberger egg",
    ),
    "NL": (
        "Bo Dij Groe Hoo Kui Lin Mee Nij Ou Ple Rij Schou Ten Ver Wes",
        "e en er",
        "sma stra man huis veld kamp burg winkel",
    ),
    "FR": (
        "Beau Char Dela Fon Gau Jou Lam Mar Per Ram Sau Tri Vil",
        "e a i",
        "mont tier court neau reau ville lin gnard",
    ),
    "PL": (
        "Bar Cie Dob Gra Jar Koś Lip Mąk Ogó Pie Rud Szu Tar Wil",
        "a o i",
        "szewski czak lski nowicz rek kowiak czyk",
    ),
}
_TRADES: Final[dict[str, str]] = {
    "DE": "Elektrotechnik|Metallbau|Gartenbau|Logistik|Bürobedarf|Haustechnik|Feinkost|Druck|Möbel|Handels|Consulting",
    "AT": "Installationen|Holzbau|Tischlerei|Handels|Gastro|Bau|Sportartikel",
    "CH": "Treuhand|Sanitär|Schreinerei|Informatik|Apparatebau|Garage|Bürotechnik",
    "NL": "Installatietechniek|Transport|Bouw|Handelsonderneming|Kantoor|Groothandel|Bloemen",
    "FR": "Bâtiment|Distribution|Électricité|Conseil|Transports|Menuiserie|Fournitures",
    "PL": "Budownictwo|Transport|Usługi|Handel|Instalacje|Meble|Hurtownia",
}
_FORMS: Final[dict[str, str]] = {
    "DE": "GmbH|GmbH|GmbH|GmbH & Co. KG|AG|KG|OHG|UG (haftungsbeschränkt)|e.K.|e.V.|Gesellschaft mbH",
    "AT": "GmbH|Ges.m.b.H.|OG|KG|e.U.|AG",
    "CH": "AG|GmbH|SA|Sàrl|AG|Genossenschaft",
    "NL": "B.V.|BV|V.O.F.|N.V.|Holding B.V.",
    "FR": "SARL|SAS|SA|EURL|SCI",
    "PL": "Sp. z o.o.|Sp. z o.o. Sp. k.|S.A.|s.c.|Sp. j.",
}
LANGUAGES: Final = {"DE": "de", "AT": "de", "CH": "de", "NL": "nl", "FR": "fr", "PL": "pl"}
_ARTICLES: Final = [
    "Lampe",
    "Regal",
    "Messer",
    "Kabel",
    "Tasche",
    "Ventil",
    "Schlauch",
    "Sattel",
    "Hose",
    "Filter",
    "Becher",
    "Dichtung",
    "Stuhl",
    "Kissen",
]


def surnames(country: str) -> list[str]:
    text = LAST[country]
    return text.split("|") if "|" in text else text.split()


def surname(rng: Random, country: str) -> str:
    """A frequent name in two of five cases (weighted to the front of the list), else one built from syllables."""
    known = surnames(country)
    if rng.random() < 0.4:
        return known[min(int(rng.expovariate(1 / 14)), len(known) - 1)]
    first, middle, last = (part.split() for part in _SYLLABLES[country])
    built = rng.choice(first) + rng.choice(middle) + rng.choice(last)
    return f"{built}-{rng.choice(known)}" if rng.random() < 0.03 else built


def first_name(rng: Random, country: str, gender: str) -> str:
    names = (MALE if gender == "male" else FEMALE)[country].split()
    return rng.choice(names)


def feminine(last: str, country: str, gender: str) -> str:
    """Polish surnames in -ski and -cki agree with the gender."""
    if country == "PL" and gender == "female" and last.endswith(("ski", "cki", "dzki")):
        return f"{last[:-1]}a"
    return last


def company(rng: Random, country: str) -> str:
    """`Gruber Holzbau GmbH`, `Lüthi & Frei AG`, `Meyer GmbH & Co. KG`."""
    owner, form = surname(rng, country), rng.choice(_FORMS[country].split("|"))
    shape = rng.random()
    if shape < 0.55:
        return f"{owner} {rng.choice(_TRADES[country].split('|'))} {form}"
    if shape < 0.75:
        return f"{owner} & {surname(rng, country)} {form}"
    return f"{owner} {form}"


def street(rng: Random, country: str) -> str:
    return f"{rng.choice(_STREETS[country].split('|')).format(rng.choice(_STEMS))} {rng.randint(1, 160)}"


def post_code(rng: Random, country: str) -> str:
    if country in ("AT", "CH"):
        return str(rng.randint(1000, 9699))
    if country == "NL":
        return f"{rng.randint(1000, 9999)} {rng.choice('ABCDEGHJK')}{rng.choice('ABCDEGHJK')}"
    if country == "PL":
        return f"{rng.randint(0, 99):02d}-{rng.randint(100, 999)}"
    return f"{rng.randint(1067, 99998):05d}"


def phone(rng: Random, country: str) -> str:
    code = {"DE": "49", "AT": "43", "CH": "41", "NL": "31", "FR": "33", "PL": "48"}[country]
    local = f"{rng.randint(100, 999)} {rng.randint(100000, 9999999)}"
    return rng.choice([f"+{code} {local}", f"0{local.replace(' ', '/')}", f"0{local.replace(' ', '')}"])


def city(rng: Random, country: str) -> str:
    return rng.choice(CITIES[country].split("|"))


def article(rng: Random) -> str:
    return f"{rng.choice(_ARTICLES)} {rng.randint(1, 99)}"

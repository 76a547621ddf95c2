"""Names in Greek and Cyrillic letters, and their Latin spellings in payments."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.text.alphabets import spellings_of
from paymatch.domain.matching.text.names import (
    Likeness,
    best_likeness,
    compare,
    has_words_of,
    pair_words,
    parse_name,
    single_words,
)
from paymatch.domain.matching.text.payers import rare_words
from paymatch.formats.languages.latin_letters import in_latin_letters
from tests.domain.matching.world import decided, order, outcome, posting

HONEST = (
    ("Иван Петров", ["Ivan Petrov", "PETROV IVAN", "Iwan Petrow", "IVAN PETROV"]),
    ("Сергей Щербаков", ["Sergey Shcherbakov", "Sergei Shcherbakov", "Sergej Ščerbakov", "Sergej Schtscherbakow"]),
    ("Юлия Юшкевич", ["Yuliya Yushkevich", "Yulia Yushkevich", "Iuliia Iushkevich", "Julija Juškevič"]),
    ("Дмитрий Жуков", ["Dmitriy Zhukov", "Dmitry Zhukov", "Dmitrii Zhukov", "Dmitrij Žukov", "Dmitrij Schukow"]),
    ("Елена Ефимова", ["Elena Efimova", "Yelena Yefimova"]),
    ("Олександр Григоренко", ["Oleksandr Hryhorenko"]),
    ("Євген Шевченко", ["Yevhen Shevchenko", "Yevgen Shevchenko", "Ievgen Shevchenko", "Evgen Shevchenko"]),
    ("Їжакевич Юрій", ["Yizhakevych Yurii", "Izhakevych Iurii", "Yizhakevych Yuriy"]),
    ("Георги Чакъров", ["Georgi Chakarov"]),
    ("Ђорђе Његош", ["Djordje Njegos", "Đorđe Njegoš"]),
    ("Γιώργος Παπαδόπουλος", ["Giorgos Papadopoulos", "Giorgos Papadopoylos"]),
    ("Χρήστος Γεωργίου", ["Christos Georgiou", "Hristos Georgiou"]),
    ("Ευαγγελία Μπακογιάννη", ["Evangelia Bakogianni", "Evaggelia Mpakogianni"]),
    ("Петров Иван Сергеевич", ["Ivan Sergeevich Petrov"]),
)  # fmt: skip


@pytest.mark.parametrize(("name", "latin"), [(name, each) for name, spelled in HONEST for each in spelled])
def test_the_usual_spellings_of_a_name_are_the_name(name: str, latin: str) -> None:
    assert compare(parse_name(latin), parse_name(name)) is Likeness.EQUAL
    assert compare(parse_name(name), parse_name(latin)) is Likeness.EQUAL


@pytest.mark.parametrize(("name", "latin"), [(name, each) for name, spelled in HONEST for each in spelled])
def test_the_usual_spellings_of_a_name_find_it(name: str, latin: str) -> None:
    for key_words in (pair_words, single_words):
        assert not {*key_words(parse_name(latin))}.isdisjoint(key_words(parse_name(name)))


def test_a_name_in_many_spellings_has_few_keys() -> None:
    names = ["Александр Юрьевич Щербаков", "Юлия Хрущёва", "Анна-Мария Юрьевна Щукина Жук"]
    assert [len(pair_words(parse_name(name))) for name in names] == [13, 28, 9]


@pytest.mark.parametrize(
    ("payer", "wanted", "has"),
    [
        ("Ivan Petrov", "Иван Петров", True),
        ("PETROW IWAN GmbH", "Иван Петров", True),
        ("Иван Петров", "Иван Петров", True),
        ("Иван Петров", "Ivan Petrov", True),
        ("Anna Meier", "Иван Петров", False),
        ("Мария Сидорова", "Иван Петров", False),
        ("Ivan Sidorov", "Иван Петров", False),
        ("Иван Петров", "", False),
        ("Иван Петров", "王小明", False),
        ("Eva Maria Muster", "Eva Muster", True),
        ("Eva Muster", "Eva Maria Muster", False),
    ],
)
def test_a_payer_has_every_word_of_a_name(payer: str, wanted: str, has: bool) -> None:
    assert has_words_of(parse_name(payer), parse_name(wanted)) is has


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        ("Ivan Petrov", "Иван Сидоров", Likeness.SURNAME),  # a word in common, the other one is another
        ("Hans Meier", "Иван Петров", Likeness.UNKNOWN),
        ("Copoc Ahha", "Сорос Анна", Likeness.UNKNOWN),  # letters that look alike and sound otherwise
        ("Pocc Bepa", "Росс Вера", Likeness.UNKNOWN),
        ("Ivan Petrov", "Ivan P\u0435trov", Likeness.SURNAME),  # a Cyrillic letter among Latin ones
        ("Ivan Petrov", "Иван Петr\u043ev", Likeness.OTHER),
        ("Мария Петрова", "Иван Сидоров", Likeness.OTHER),
        ("Мария Петрова", "Мария Петрова", Likeness.EQUAL),
        ("Anna Петрова", "Anna Сидорова", Likeness.SURNAME),
        ("Petrov", "Иван Петров", Likeness.PART),
    ],
)
def test_other_names_and_forged_ones_are_not(one: str, other: str, likeness: Likeness) -> None:
    assert compare(parse_name(one), parse_name(other)) is likeness
    assert best_likeness([parse_name(one)], [parse_name(other)]) is likeness


def test_only_words_of_one_alphabet_are_spelled() -> None:
    assert spellings_of("Ivan Petrov") == spellings_of("Müller") == spellings_of("P\u0435trov") == ()
    assert spellings_of("王小明") == spellings_of("Mª José") == ()
    assert spellings_of("Anna Жук")[0] == ("ANNA",)


CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґђјљњћџ"
GREEK = "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώ"


@given(st.text(f"{CYRILLIC}{GREEK} ", min_size=3, max_size=20))
def test_the_spelling_that_banks_must_use_is_always_among_them(name: str) -> None:
    must_have_the_spelling_of_banks(name)


@pytest.mark.parametrize("letters", [CYRILLIC, GREEK])
def test_any_two_letters_have_the_spelling_that_banks_must_use(letters: str) -> None:
    for pair in product(letters, repeat=2):
        must_have_the_spelling_of_banks("".join(pair))


def must_have_the_spelling_of_banks(name: str) -> None:
    """EPC217-08, as this service writes names into its own transfers."""
    spelled = spellings_of(name)
    for word, options in zip(name.split(), spelled, strict=False):
        if spelled and len({ord(letter) >= 0x400 for letter in word}) == 1:
            banks = "".join(parse_name(in_latin_letters(word)).words)
            assert not banks or any(banks in option or option in banks for option in options if option)


@pytest.mark.parametrize(("name", "latin"), [(name, each) for name, spelled in HONEST for each in spelled])
def test_a_payment_is_matched_by_any_usual_spelling(name: str, latin: str) -> None:
    (decision,) = decided([order("10480", name=name), order("20999", name="Claire Baum")], [posting("", name=latin)])
    assert outcome(decision) == ("matched", (("10480", 4990),))


@pytest.mark.parametrize(
    ("text", "payer"), [("Ivan Petrov", "Otto Seiler"), ("fuer Petrow Iwan", "Anna Seiler"), ("Ivan", "Olga Petrov")]
)
def test_a_name_in_the_text_is_read_in_any_usual_spelling(text: str, payer: str) -> None:
    (decision,) = decided([order("10480", name="Иван Петров")], [posting(text, name=payer)])
    assert outcome(decision) == ("matched", (("10480", 4990),))


def test_a_customer_of_the_same_name_in_another_alphabet_is_a_rival() -> None:
    orders = [order("10480", name="Ivan Petrov"), order("20999", name="Иван Петров")]
    (decision,) = decided(orders, [posting("", name="Ivan Petrov")])
    assert outcome(decision)[0] == "suggested"
    assert str(decision.review_reason).startswith("order ")


def test_a_relatives_first_name_in_the_text_makes_a_rival_in_any_alphabet() -> None:
    orders = [order("10480", name="Ольга Петрова"), order("20999", name="Иван Петрова")]
    (decision,) = decided(orders, [posting("fuer Ivan", name="Olga Petrova")])
    assert outcome(decision)[0] == "suggested"


def test_another_persons_name_is_not_read_into_it() -> None:
    (decision,) = decided([order("10480", name="Иван Петров")], [posting("", name="Ivan Pavlov")])
    assert outcome(decision)[0] == "suggested"


def test_a_carriers_name_in_other_letters_identifies_no_customer() -> None:
    assert rare_words(parse_name("ДХЛ Пакет"), frozenset()) == frozenset()
    assert rare_words(parse_name("Amazon Петров"), frozenset()) == frozenset()

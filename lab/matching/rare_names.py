"""Names from alphabets that banks do not transmit, and how a payer's bank writes them."""

from __future__ import annotations

from random import Random
from typing import Final

_FIRST: Final = (
    "Дмитрий Сергей Ольга Наталья Юлия Олександр Yaşar Şükrü Çağla Gülşen Þórður Guðrún Ægir Ngọc Thị Đức "
    "Jiří Řehoř Zdeňka Ștefan Țîncuța Győző Zsófia Łucja Γιώργος Ελένη Χρήστος 伟 娜 秀英 太郎 花子 محمد فاطمة "
    "יוסף שרה Ģirts Ķirts"
)
_LAST: Final = (
    "Соколов Щербаков Юшкевич Шевченко Жуков Öztürk Çağlayan Işık Şahin Þorsteinsson Guðmundsdóttir "
    "Nguyễn Trần Đặng Ng Li Dvořák Řezníček Popescu Țurcanu Szűcs Őri Παπαδόπουλος Γεωργίου 王 李 陈 田中 鈴木 "
    "الحسن منصور כהן לוי Bērziņš Kļaviņš Żółć"
)
FIRST: Final = tuple(_FIRST.split())
LAST: Final = tuple(_LAST.split())
_WORDS: Final = {
    "伟": ("Wei",), "娜": ("Na",), "秀英": ("Xiuying", "Xiu Ying"), "太郎": ("Taro", "Tarou"),
    "花子": ("Hanako",), "محمد": ("Mohammed", "Muhammad", "Mohamad"), "فاطمة": ("Fatima", "Fatma"),
    "יוסף": ("Yosef", "Josef"), "שרה": ("Sarah",), "王": ("Wang",), "李": ("Li",), "陈": ("Chen",),
    "田中": ("Tanaka",), "鈴木": ("Suzuki",), "الحسن": ("Al-Hassan", "Alhasan"),
    "منصور": ("Mansour", "Mansur"), "כהן": ("Cohen", "Kohen"), "לוי": ("Levi", "Levy"),
}  # fmt: skip
"""Names that are written with other letters as whole words."""
_ENGLISH: Final = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "e", "ж": "zh", "з": "z", "и": "i",
    "й": "y", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t",
    "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "y", "ь": "",
    "э": "e", "ю": "yu", "я": "ya", "і": "i", "ї": "yi", "є": "ye", "ґ": "g",
}  # fmt: skip
_GERMAN: Final = _ENGLISH | {
    "в": "w", "ж": "sch", "з": "s", "й": "j", "х": "ch", "ц": "z", "ч": "tsch", "ш": "sch", "щ": "schtsch",
    "ю": "ju", "я": "ja",
}  # fmt: skip
_GREEK: Final = {
    "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i", "κ": "k",
    "λ": "l", "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s", "ς": "s", "τ": "t",
    "υ": "y", "φ": "f", "χ": "ch", "ψ": "ps", "ω": "o", "ά": "a", "έ": "e", "ή": "i", "ί": "i", "ό": "o",
    "ύ": "y", "ώ": "o",
}  # fmt: skip
_OTHERS: Final = {"þ": "th", "ð": "d", "đ": "d", "æ": "ae", "ı": "i", "ł": "l"}


def romanised(rng: Random, name: str) -> str:
    """The name in the Latin letters of a payment; Cyrillic after the English or the German fashion."""
    table = rng.choice((_ENGLISH, _GERMAN)) | _GREEK | _OTHERS
    return " ".join(_word(rng, word, table) for word in name.split())


def _word(rng: Random, word: str, table: dict[str, str]) -> str:
    if word in _WORDS:
        return rng.choice(_WORDS[word])
    letters = "".join(table.get(letter, letter) for letter in word.lower())
    return "-".join(part.capitalize() for part in letters.split("-"))

"""Abbreviations behind which a sentence goes on even before a capital: titles, and words that point at
what follows. One that may end a sentence (etc., Inc.) isn't here: a capital decides there."""

from __future__ import annotations

from functools import lru_cache

_EVERYWHERE = "dr prof st no vs cf al fig figs vol ed eds pp nr tel approx ca"
_BY_LANGUAGE = {
    "en": "mr mrs ms mx messrs jr gen col capt lt sgt rev hon gov sen rep pres dept est e.g i.e eg ie ch sec eq ref "
    "refs mt ft art",
    "pt": "sr sra srs sras srta dra profa exmo exma eng enga arq av r p pág págs p.ex ex cap fig nº art arts tel v "
    "obs",
    "es": "sr sra srs srta sres d dña dra ud uds vd vds av avda c p pág págs p.ej ej cap núm art arts tel fig",
    "fr": "m mm mme mmes mlle mlles me mgr p pp p.ex ex chap art fig env boul av réf cf",
    "de": "hr fr hrn frl nr z.b u.a d.h bzw bspw vgl evtl ggf inkl exkl usw abb abs art str s bd kap ziff z u d sog "
    "mind max min",
    "it": "sig sigg sigra dott dottssa ing avv arch on p pag pagg p.es es cap art artt fig",
    "nl": "dhr mevr mw ir ing drs mr bijv bv blz p art nr afb o.a d.w.z i.p.v m.b.t z.o.z",
    "sv": "bl.a t.ex d.v.s dvs ca kl nr s st fig jfr",
    "da": "bl.a f.eks dvs ca kl nr s fig jf hr fr",
    "nb": "bl.a f.eks dvs ca kl nr s fig jf",
    "pl": "p pan pani prof mgr inż hab np tj tzn tzw ok nr str ul al św im r zob por",
    "cs": "p pí prof mgr ing mudr např tj tzn tzv č str ul sv obr viz",
    "ru": "г гг ул д стр рис им см ср т.е т.д т.п т.к напр проф акад тыс млн млрд руб",
    "uk": "м вул буд с рис ім див т.д т.п напр проф акад тис млн млрд грн",
    "tr": "sn bkz örn vb no prof doç av s",
    "ro": "dl dna d-na dvs str nr pag p fig art ex prof",
    "fi": "esim ks ns mm n s nro ym prof",
    "hu": "pl ill stb ún kb dr ifj id u sz",
}
# Where "3. May" is how a day is written.
ORDINAL_LANGUAGES = frozenset("de da nb nn no fi cs sk hu pl hr sl sr bs tr et lv is fo eu".split())


@lru_cache(maxsize=64)
def abbreviations(language: str) -> frozenset[str]:
    """Small letters, without the last full stop."""
    return frozenset(_EVERYWHERE.split()) | frozenset(_BY_LANGUAGE.get(language, "").split())

"""Words that are made from labels and local names of relations."""

from __future__ import annotations

import pytest

from kgprobe.questions.wording.labels import Words, words_given, words_of_label, words_of_local_name

NOUNS = {
    "author": "an author of",
    "birth place": "a birth place of",
    "Birth Place": "a birth place of",
    "birthPlace": "a birth place of",
    "birth_place": "a birth place of",
    "has part": "a part of",
    "hasPart": "a part of",
    "has part(s)": "a part of",
    "contains place": "a place in",
    "children": "a child of",
    "has child": "a child of",
    "has official language": "an official language of",
    "place of birth": "a place of birth of",
    "country of citizenship": "a country of citizenship of",
    "head of government": "a head of government of",
    "cause of death": "a cause of death of",
    "the author": "an author of",
    "ISBN": "an ISBN of",
    "sibling": "a sibling of",
    "king": "a king of",
    "notable work": "a notable work of",
    "type": "the type of",  # "Jane is a type of Emma" would mean something else
    "largest city": "the largest city of",
    "number of pages": "the number of pages of",
    "neighbor": "a neighbor of",
    "haspart": "a part of",
    "hasspouse": "a spouse of",
    "hometown": "a hometown of",
    "_member_meronym": "a member meronym of",
    "gender": "the gender of",
}
FROM_SUBJECT = {
    "part of": "a part of",
    "is part of": "a part of",
    "isPartOf": "a part of",
    "PART OF": "a part of",
    "is a part of": "a part of",
    "is the capital of": "the capital of",
    "parent of": "a parent of",
    "alumniOf": "an alumnus of",
    "member of": "a member of",
    "participant in": "a participant in",
    "sequel to": "a sequel to",
    "is located in": "located in",
    "located in": "located in",
    "isMarriedTo": "married to",
    "is known for": "known for",
    "written by": "written by",
    "is hosted by": "hosted by",
    "directly owned by": "directly owned by",
    "subOrganization of": "a suborganization of",
    "sub_organization_of": "a suborganization of",
    "subOrganizationOf": "a suborganization of",
    "adjacent to": "adjacent to",
    "similar to": "similar to",
    "locatedin": "located in",
    "memberof": "a member of",
    "partof": "a part of",
    "headquarteredin": "headquartered in",
}
NOT_ASKED = """
knows|likes|created|directed|acted in|wasBornIn|hasWonPrize|deals with|lives in|graduated from|plays for|works at
exports
influences|influence|cause|member of sports team|award received|located in the administrative territorial entity
shares border with|P31|RO_0002202|develops from|negatively regulates|same as|see also|broader|based near|部分|friends
software|has evidence|is author|is|has|in|of|is of|reports to|used|acted on behalf of|had member|was derived from
inside
interval before|interval finished by|DEPRECATED bearer of|died in|also see|used in part|made by sensor|owns
holds political position|is married|married|x|a|and
father and mother|---|12|relngo|intergovorgs3|economicaid|negativecomm|militaryalliance|embassy|independence|accusation
tourism|weightedunvote|athleteplaysforteam|teamplayssport|citylocatedincountry|agentbelongstoorganization|companyceo
proxyfor|worksfor|worksFor|animalistypeofanimal|parentofperson|country|region|kingdom|genus|team|battle|cinematography
_synset_domain_topic_of|_derivationally_related_form|_verb_group|_also_see|leaderName|routeStart|geo|award|isa|BT|hasNT|UF
"""


@pytest.mark.parametrize(("label", "extension"), NOUNS.items())
def test_a_noun_names_the_object(label: str, extension: str) -> None:
    words = words_of_label(label)
    assert isinstance(words, Words)
    assert (words.extension, words.is_turned) == (extension, False)


@pytest.mark.parametrize(("label", "extension"), FROM_SUBJECT.items())
def test_a_label_that_ends_with_a_preposition_reads_from_the_subject(label: str, extension: str) -> None:
    words = words_of_label(label)
    assert isinstance(words, Words)
    assert (words.extension, words.is_turned) == (extension, True)


@pytest.mark.parametrize("label", NOT_ASKED.strip("\n").replace("\n", "|").split("|"))
def test_a_label_in_doubt_gives_no_words_but_a_reason(label: str) -> None:
    reason = words_of_label(label)
    assert isinstance(reason, str)
    assert reason.startswith("the label of the relation is")


def test_a_functional_relation_gets_the() -> None:
    words = words_of_label("birth place", is_functional=True)
    assert isinstance(words, Words)
    assert words.extension == "the birth place of"
    turned = words_of_local_name("capitalOf", is_functional=True)
    assert isinstance(turned, Words)
    assert turned.extension == "a capital of"


@pytest.mark.parametrize(
    ("given", "extension"),
    [
        (("a", "author", "of"), "an author of"),
        (("an", "university", "of"), "a university of"),
        (("the", "the author", "of"), "the author of"),
        (("The", " birth  place ", "of"), "the birth place of"),
        (("", "located", "in"), "located in"),
    ],
)
def test_given_words_are_corrected_in_their_articles_only(given: tuple[str, str, str], extension: str) -> None:
    assert words_given(*given).extension == extension


@pytest.mark.parametrize("given", [("teh", "author", "of"), ("the", "", "of"), ("the", "author", ""), ("", "", "")])
def test_words_that_cannot_be_used_are_refused(given: tuple[str, str, str]) -> None:
    with pytest.raises(ValueError, match=r"not an article|noun is empty|no preposition"):
        words_given(*given)

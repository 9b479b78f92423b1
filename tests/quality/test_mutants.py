"""Mutants of our own code: what is changed, and that the same seed draws the same ones."""

from __future__ import annotations

from quality.mutants import mutants_of, mutated, sampled

TEXT = '''
def smallest(values, most=3):
    """The smallest values."""
    if not values or len(values) == 1 and most:
        raise ValueError("1 == 2")
    return sorted(value for value in values if value < most)[:2]
'''


def test_each_expression_of_a_function_is_changed_in_turn() -> None:
    found = {(mutant.line, mutant.before, mutant.after) for mutant in mutants_of(TEXT)}
    assert found == {
        (4, "not values or (len(values) == 1 and most)", "not values and (len(values) == 1 and most)"),
        (4, "not values or (len(values) == 1 and most)", "len(values) == 1 and most"),
        (4, "not values or (len(values) == 1 and most)", "not values"),
        (4, "not values", "values"),
        (4, "len(values) == 1 and most", "len(values) == 1 or most"),
        (4, "len(values) == 1 and most", "most"),
        (4, "len(values) == 1 and most", "len(values) == 1"),
        (4, "len(values) == 1", "len(values) != 1"),
        (4, "1", "2"),
        (6, "sorted((value for value in values if value < most))", "list((value for value in values if value < most))"),
        (6, "value < most", "value <= most"),
        (6, "2", "3"),
    }


def test_a_mutant_differs_in_one_place() -> None:
    originals = mutated(TEXT, 0).splitlines()
    texts = {mutated(TEXT, mutant.number) for mutant in mutants_of(TEXT)}
    assert len(texts) == 12
    for text in texts:
        assert len(text.splitlines()) == len(originals)


def test_a_sample_has_each_package_and_depends_on_its_seed() -> None:
    first = sampled(30, 1)
    assert first == sampled(30, 1)
    assert first != sampled(30, 2)
    assert len({mutant.file.split("/")[0] for mutant in first}) > 20
    assert {mutant.file.split("/")[0] for mutant in sampled(5, 1, ["masks"])} == {"masks"}

"""Checks whether a price list is right."""


def each_coffee_once(case, seen):
    names = [line.split()[0] for line in seen.stdout.splitlines()]
    for name in names:
        if names.count(name) > 1:
            return f"a coffee is listed more than once: {name}"
    return True

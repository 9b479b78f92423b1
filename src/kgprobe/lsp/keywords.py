"""The keywords of SPARQL 1.1, by where they can stand, for formatting and completion."""

from __future__ import annotations

__all__ = ["CALLS", "FORMS", "IN_A_GROUP", "KEYWORDS", "MODIFIERS", "WITHIN"]

FORMS = (
    *("PREFIX", "BASE", "SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "INSERT", "DELETE", "WITH", "LOAD"),
    *("CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY"),
)
"""Where a query or an update can begin."""
MODIFIERS = ("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES")
"""After the group of a query."""
IN_A_GROUP = ("FILTER", "OPTIONAL", "BIND", "MINUS", "UNION", "GRAPH", "SERVICE", "VALUES", "SELECT")
"""Where a triple can begin in a group."""
WITHIN = (
    *("WHERE", "FROM", "NAMED", "DISTINCT", "REDUCED", "AS", "BY", "ASC", "DESC", "USING", "INTO", "TO"),
    *("DATA", "SILENT", "DEFAULT", "ALL", "NOT", "EXISTS", "IN", "UNDEF", "SEPARATOR"),
)
"""After other keywords, and in expressions."""
CALLS = (
    *("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT", "STR", "LANG", "LANGMATCHES"),
    *("DATATYPE", "BOUND", "IRI", "URI", "BNODE", "RAND", "ABS", "CEIL", "FLOOR", "ROUND", "CONCAT"),
    *("STRLEN", "UCASE", "LCASE", "ENCODE_FOR_URI", "CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE"),
    *("STRAFTER", "YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ", "NOW", "UUID"),
    *("STRUUID", "MD5", "SHA1", "SHA256", "SHA384", "SHA512", "COALESCE", "IF", "STRLANG", "STRDT"),
    *("SAMETERM", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "REGEX", "SUBSTR", "REPLACE"),
)
"""Functions and aggregates."""
KEYWORDS = frozenset((*FORMS, *MODIFIERS, *IN_A_GROUP, *WITHIN, *CALLS))

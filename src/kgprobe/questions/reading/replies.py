"""Replies that are not answers: error pages, errors as text, and names that say what they name."""

from __future__ import annotations

import re

__all__ = ["is_error", "is_name", "without_courtesy"]

_PAGE = re.compile(r"\A\s*(?:<!doctype\b|<\?xml\b|<html\b|<head\b|<body\b|<title\b|<center\b)", re.I)
_START = re.compile(
    r"\A\W*(?:HTTP/\d|(?:http |status |code |error )*[45]\d\d\b(?!\s*(?:yes|no)\b)"
    r"|traceback \(most recent|exception in thread|(?:\w+\.)*\w*(?:error|exception)\b\s*[:\[(]"
    r"|error\b(?:\s+\w+){0,4}\s*[:\-]|(?:fatal|panic|unhandled\w*)\b[^.\n]{0,40}:|segmentation fault"
    r"|invalid\b(?! (?:statement|claim))|curl: \(\d+\))",
    re.I,
)
_TELLS = re.compile(
    r"internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable|gateway time-?out|404 not found"
    r"|page not found|too many requests|rate[ -]?limit(?:ed|s| (?:exceeded|reached))|quota exceeded"
    r"|exceeded your (?:current )?quota|request timed out|connection (?:refused|reset|timed out|error)|invalid api key"
    r"|incorrect api key|401 unauthorized"
    r"|403 forbidden|access denied|most recent call last|nullpointerexception|^\s+at [\w$.]+\([\w.]+:\d+\)"
    r"|model is (?:currently )?(?:overloaded|loading)|context length exceeded|maximum context length|out of memory"
    r"|something went wrong|an error (?:has )?occurred|server is overloaded|try again later|no such file or directory"
    r"|command not found|max retries exceeded|no healthy upstream|upstream (?:connect|request)|core dumped",
    re.I | re.M,
)
_WITH_KIND = re.compile(
    r"\((?:[^()]* )?(?:film|song|album|band|single|novel|book|play|musical|opera|poem|magazine|newspaper|series|episode"
    r"|video game|game|river|city|town|village|island|mountain|county|surname|given name|disambiguation)\)\W*\Z",
    re.I,
)
_AGREES = r"(?:yes|yeah|yep|sure(?: thing)?|certainly|absolutely|of course|ok(?:ay)?|alright|no (?:problem|worries))"
_HELP = r"(?:help|assist|answer)(?: you)?(?: with (?:that|this))?"
_ASKED = r"(?:the|your|this) (?:question|request)"
_COURTESY = re.compile(
    rf"\A\W*(?:{_AGREES}\b[,.!]*\s+)?(?:(?:and )?"
    rf"(?:i (?:can|could|will|would) (?:certainly |gladly |definitely )?"
    rf"(?:help|assist|answer|do|look into|check)(?: you)?(?: out)?(?: with)?(?: (?:that|this|it|{_ASKED}))?"
    rf"|i understand(?: (?:that|{_ASKED}|what you (?:mean|ask|are asking)))?|i see {_ASKED}"
    rf"|i(?:'d| would) be (?:happy|glad) to {_HELP}|(?:i am |i'm )?(?:happy|glad) to {_HELP}"
    rf"|got it|thanks? (?:you )?for (?:asking|{_ASKED})|i(?:'m| am) (?:here|listening|ready))"
    r"\b\s*(?:[.!,;:\u2014]+|\u2013|-|(?=but\b)|\Z)\s*)+",
    re.I,
)
_LONGEST_NAME = 100
_DECISION = re.compile(r"\A\W*(?:yes|no)\b\s*(?:[,.!;:—\u2013-]|\Z)", re.I)


def is_error(text: str) -> bool:
    """Whether a reply is an error page, an error message or a stack trace."""
    if _PAGE.match(text):
        return True
    start = text[:2000]
    if _DECISION.match(start):
        return False
    return bool(_START.match(start) or _TELLS.search(start))


def is_name(text: str) -> bool:
    """Whether a reply is a name with its kind in parentheses, as in encyclopedias: "Hell Yes (song)"."""
    return len(text) <= _LONGEST_NAME and _WITH_KIND.search(text) is not None


def without_courtesy(text: str) -> str:
    """The text without words at its start that are only polite: "Yes, I can help with that! It is not."."""
    return _COURTESY.sub("", text, count=1)

"""Requests to servers, which are not trusted: within limits, and over connections that can stay open.

The entry point is `exchange.exchange`: one request and its answer. `exchange.Connections` keeps connections open
between requests and ends each of them in time.
"""

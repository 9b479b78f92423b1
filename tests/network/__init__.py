"""Tests of requests to servers, including hostile ones."""

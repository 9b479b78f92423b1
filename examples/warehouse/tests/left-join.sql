SELECT term.id, synonym.text
FROM term LEFT JOIN synonym ON synonym.term = term.id WHERE term.id IN ('Pizza', 'Tea');

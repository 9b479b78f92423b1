SELECT term
FROM synonym WHERE text = 'fior di latte';

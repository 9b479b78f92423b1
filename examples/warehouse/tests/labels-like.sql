SELECT id
FROM term WHERE label LIKE '%pizza%';

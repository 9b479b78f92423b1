SELECT COUNT(*)
FROM term WHERE label LIKE 'm%';

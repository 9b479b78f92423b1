SELECT COUNT(*)
FROM term WHERE id <> 'Pizza';

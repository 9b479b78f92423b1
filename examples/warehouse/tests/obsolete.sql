SELECT id
FROM term WHERE obsolete = 'true';

SELECT id
FROM term WHERE id = 'Tea' OR label = 'espresso';

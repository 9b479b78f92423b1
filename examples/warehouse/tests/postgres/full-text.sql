SELECT id
FROM term WHERE to_tsvector('english', label) @@ to_tsquery('english', 'pizza');

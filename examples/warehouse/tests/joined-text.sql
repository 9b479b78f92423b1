SELECT label
FROM term WHERE id = 'Green' || 'Tea';

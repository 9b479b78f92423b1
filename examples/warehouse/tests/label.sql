SELECT label
FROM term WHERE id = 'Pizza';

SELECT label, note
FROM term WHERE id = 'Cheese';

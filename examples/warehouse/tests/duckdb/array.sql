SELECT label
FROM term WHERE id = ANY(['Tea', 'Salami']);

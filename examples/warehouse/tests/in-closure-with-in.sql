SELECT label
FROM term WHERE id IN (SELECT child FROM closure WHERE parent = 'Vegetable');

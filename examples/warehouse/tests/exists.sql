SELECT label
FROM term WHERE EXISTS (SELECT 1 FROM closure WHERE child = id AND parent = 'Cheese');

WITH below AS (SELECT child
FROM closure WHERE parent = 'Drink') SELECT COUNT(*) FROM below;

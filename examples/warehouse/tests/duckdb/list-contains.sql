SELECT COUNT(*)
FROM closure WHERE list_contains(['Pizza', 'Drink'], parent);

SELECT id
FROM vegetarian;

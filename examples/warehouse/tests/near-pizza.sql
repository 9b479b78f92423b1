SELECT child
FROM closure WHERE parent = 'Pizza' AND distance = 1;

SELECT child
FROM closure WHERE parent = 'Pizza';

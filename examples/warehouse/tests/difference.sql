SELECT child
FROM closure WHERE parent = 'Pizza' EXCEPT SELECT child FROM closure WHERE parent = 'MeatPizza';

SELECT parent, distance
FROM closure WHERE child = 'Yeast';

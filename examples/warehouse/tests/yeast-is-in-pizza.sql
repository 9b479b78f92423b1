SELECT COUNT(*)
FROM closure WHERE child = 'Yeast' AND parent = 'Pizza';

SELECT parent
FROM closure WHERE child = 'Margherita';

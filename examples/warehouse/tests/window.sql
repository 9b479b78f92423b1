SELECT child, RANK() OVER (ORDER BY distance)
FROM closure WHERE parent = 'Meat';

SELECT COUNT(*)
FROM closure WHERE parent = 'VeggiePizza';

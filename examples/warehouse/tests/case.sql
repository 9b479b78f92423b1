SELECT SUM(CASE WHEN parent = 'Cheese' THEN 1 ELSE 0 END)
FROM closure;

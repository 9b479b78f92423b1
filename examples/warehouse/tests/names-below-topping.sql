SELECT term.label
FROM closure JOIN term ON term.id = closure.child WHERE closure.parent = 'Topping';

SELECT term.label
FROM closure JOIN term ON term.id = closure.parent WHERE closure.child = 'Espresso';

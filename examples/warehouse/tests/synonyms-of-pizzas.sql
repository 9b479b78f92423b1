SELECT synonym.text
FROM synonym JOIN closure ON closure.child = synonym.term WHERE closure.parent = 'Dish';

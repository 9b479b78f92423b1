SELECT orders.customer
FROM orders JOIN closure ON closure.child = orders.term WHERE closure.parent = 'Drink';

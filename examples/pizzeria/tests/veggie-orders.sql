-- At least three orders of vegetarian pizzas.
SELECT COUNT(*) AS result
FROM orders
WHERE type IN (SELECT term FROM terms WHERE term = 'VeggiePizza' OR ancestor = 'VeggiePizza');

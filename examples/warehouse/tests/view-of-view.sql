SELECT COUNT(*)
FROM vegetarian_orders;

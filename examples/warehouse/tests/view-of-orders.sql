SELECT customer, COUNT(*)
FROM pizza_orders GROUP BY customer;

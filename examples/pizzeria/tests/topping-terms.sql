-- Toppings that a customer can choose.
SELECT term FROM terms WHERE ancestor = 'vegetarian topping';

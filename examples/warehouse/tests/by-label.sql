SELECT id
FROM term WHERE label = 'vegetarian pizza';

SELECT child
FROM edge WHERE parent = 'Drink' AND relation = 'is_a';

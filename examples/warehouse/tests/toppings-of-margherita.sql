SELECT parent
FROM edge WHERE child = 'Margherita' AND relation = 'hasTopping';

SELECT parent
FROM edge WHERE child = 'Salami';

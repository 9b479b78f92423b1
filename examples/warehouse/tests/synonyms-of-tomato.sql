SELECT text
FROM synonym WHERE term = 'Tomato';

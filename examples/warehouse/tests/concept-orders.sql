SELECT COUNT(*)
FROM orders WHERE term IN (SELECT code FROM concept WHERE path LIKE '\food\drink\%' ESCAPE '!');

SELECT name
FROM concept WHERE level = 0;

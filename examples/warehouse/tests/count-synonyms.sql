SELECT COUNT(*)
FROM synonym;

SELECT note
FROM term WHERE id = 'GreenTea';

SELECT label
FROM term WHERE id = TRIM(' Mushroom ');

SELECT label
FROM term WHERE id IN ('Tea', 'Coffee');

SELECT label
FROM term WHERE id IN (SELECT json_array_elements_text('["Mozzarella", "Tomato"]'));

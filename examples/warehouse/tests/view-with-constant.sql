SELECT id
FROM with_mozzarella;

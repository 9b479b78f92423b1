SELECT path, level
FROM concept WHERE code = 'GreenTea';

SELECT COUNT(*)
FROM term JOIN closure ON child = id WHERE parent = 'Pizza' AND obsolete IS NOT NULL;

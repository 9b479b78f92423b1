SELECT other.child
FROM edge one JOIN edge other ON other.parent = one.parent AND other.relation = one.relation WHERE one.child = 'Tea';

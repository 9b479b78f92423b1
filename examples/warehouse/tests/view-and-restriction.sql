SELECT parent_label
FROM named_closure WHERE child = 'GreenTea';

SELECT label
FROM term WHERE id = ANY(string_to_array('Tea,Coffee', ','));

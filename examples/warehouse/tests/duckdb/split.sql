SELECT label
FROM term WHERE id IN (SELECT UNNEST(string_split('Tea,Coffee', ',')));

SELECT code
FROM concept WHERE path LIKE '\food\dish\pizza\%' ESCAPE '!';

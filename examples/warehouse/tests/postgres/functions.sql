CREATE FUNCTION below(name text) RETURNS bigint LANGUAGE SQL AS $$
  SELECT COUNT(*) FROM closure WHERE parent = name
$$;

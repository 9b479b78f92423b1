SELECT below('Pizza');

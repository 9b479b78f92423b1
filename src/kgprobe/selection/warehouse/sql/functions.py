"""The functions that databases have. All others may read anything, unless their definition is known."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["KNOWN_FUNCTIONS", "OUTSIDE"]

OUTSIDE = (exp.NextValueFor, exp.ReadCSV, exp.ReadParquet)
"""Functions that read something other than their arguments."""

# Those of PostgreSQL, DuckDB, SQLite, MySQL and Oracle whose results depend on nothing but their arguments, time and
# chance, and which the parser does not know by itself.
_KNOWN_FUNCTIONS_WORDS = """
    abs acos add add_months adddate against age aggregate ago akeys any_value approx_count_distinct arbitrary
    arg_max_null arg_max_nulls_last arg_min_null arg_min_nulls_last array_agg array_aggr array_aggregate
    array_append array_apply array_cat array_cosine_distance array_cosine_similarity array_cross_product
    array_dims array_distance array_dot_product array_extract array_fill array_grade_up array_has_any
    array_indexof array_inner_product array_length array_lower array_ndims array_negative_dot_product
    array_negative_inner_product array_pop_back array_pop_front array_position array_positions array_prepend
    array_push_back array_push_front array_reduce array_remove array_replace array_resize array_reverse_sort
    array_select array_to_json array_to_string array_to_string_comma_default array_transform array_unique
    array_upper array_value array_where array_zip ascii asin assert_true atan atan2 avals avg bar base64 bin
    binom bit_and bit_count bit_length bit_or bit_position bit_xor bitstring bitstring_agg
    bitstring_byte_comparable bool_and bool_or btrim can_cast_implicitly cardinality cast_to_type cbrt ceil
    ceiling century char char_length character_length charindex chr clock_timestamp coalesce concat_ws
    constant_or_null contains corr cos count count_star covar_pop covar_samp crc32 cume_dist damerau_levenshtein
    date_format date_part date_sub date_trunc datepart daterange datesub datetrunc dayname days_in_month decade
    decimal_average decimal_division decode degrees dense_rank difference div divide each editdist3 element_at
    elt encode entropy enum_code enum_first enum_last enum_range enum_range_boundary epoch epoch_ms epoch_ns
    epoch_us equi_width_bins era error even every exp export_set extension_versions extract factorial favg fdiv
    field find_in_set first_value floor fmod format format_bytes format_pg_type format_type from_binary from_hex
    from_json_strict from_unixtime fsum gamma gcd gen_random_uuid generate_series generate_subscripts geomean
    geometric_mean get_current_time get_current_timestamp getdate glob grade_up greatest greatest_common_divisor
    group_concat grouping hamming hash hex histogram histogram_exact histogram_values hstore icu_calendar_names
    icu_sort_key if ifnull iif ilike_escape index initcap instr int4range int8range isempty isfinite isnull
    isoyear jaccard jaro_similarity jaro_winkler_similarity json json_agg json_array json_array_elements
    json_array_elements_text json_array_length json_arrayagg json_build_array json_build_object json_contains
    json_deep_merge json_deserialize_sql json_each json_each_text json_exists json_extract_path
    json_extract_path_text json_extract_string json_group_array json_group_object json_group_structure
    json_insert json_keys json_merge_patch json_merge_patch_diff json_object_agg json_object_keys json_objectagg
    json_overlaps json_patch json_pretty json_quote json_replace json_search json_structure json_to_recordset
    json_transform json_transform_strict json_tree json_typeof json_unquote json_valid json_value jsonb_agg
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object
    jsonb_contains jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object_agg
    jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_pretty jsonb_set jsonb_strip_nulls
    jsonb_to_recordset jsonb_typeof julian julianday justify_days justify_hours justify_interval kahan_sum
    kurtosis_pop lag last_day last_value lca lcm lead least least_common_multiple left left_grapheme
    length_grapheme levenshtein lgamma like like_escape likelihood list_aggr list_aggregate list_any_value
    list_append list_apply list_approx_count_distinct list_avg list_bit_and list_bit_or list_bit_xor
    list_bool_and list_bool_or list_cat list_concat list_contains list_cosine_distance list_cosine_similarity
    list_count list_distance list_distinct list_dot_product list_element list_entropy list_extract list_filter
    list_first list_grade_up list_has list_has_all list_has_any list_histogram list_indexof list_inner_product
    list_intersect list_kurtosis list_kurtosis_pop list_last list_mad list_max list_median list_min list_mode
    list_negative_dot_product list_negative_inner_product list_pack list_position list_prepend list_product
    list_reduce list_resize list_reverse list_reverse_sort list_select list_sem list_skewness list_slice
    list_sort list_stddev_pop list_stddev_samp list_string_agg list_sum list_transform list_unique list_value
    list_var_pop list_var_samp list_where list_zip listagg ln localtime localtimestamp locate log log10 log2
    lower_inc lpad lquery ltree ltrim mad make_date make_interval make_set make_time make_timestamp
    make_timestamp_ms make_timestamp_ns make_timestamptz map_concat map_contains map_contains_entry
    map_contains_value map_entries map_extract map_extract_value map_to_pg_oid map_values match max md5
    md5_number md5_number_lower md5_number_upper mean median metaphone microsecond millennium millisecond min
    mismatches mod mode monthname months_between multiply nanosecond nanvl nextafter nfc_normalize nlevel
    normalized_interval not_ilike_escape not_like_escape now nth_value ntile nullif nullifzero num_nonnulls
    num_nulls numnode numrange nvl nvl2 octet_length ord overlay parse_dirname parse_dirpath
    parse_duckdb_log_message parse_filename parse_formatted_bytes parse_path path_join percent_rank
    percentile_cont percentile_disc period_add period_diff pg_typeof phraseto_tsquery pi plainto_tsquery
    position pow power prefix printf product quantile_cont quantile_disc querytree quote quote_ident
    quote_literal quote_nullable radians rand random range rank rank_dense regexp regexp_count regexp_escape
    regexp_instr regexp_like regexp_match regexp_matches regexp_split_to_array regexp_split_to_table
    regexp_substr regr_slope repeat reservoir_quantile reverse right right_grapheme round round_even
    roundbankers row row_number row_to_json rpad rtrim scale score set_bit setseed setweight sha1 sha2 sha224
    sha256 sha384 sha512 show_trgm sign signbit similarity sin skeys soundex split_part sqrt statement_timestamp
    stddev stddev_pop stddev_samp str_split str_split_regex str_to_date strftime strict_word_similarity
    string_agg string_split string_split_regex string_to_table strip strip_accents strlen strpos strptime
    struct_concat struct_contains struct_extract_at struct_has struct_indexof struct_insert struct_keys
    struct_pack struct_position struct_update struct_values subdate subltree subpath substr substring
    substring_grapheme substring_index subtract subtype suffix sum sum_no_overflow sumkahan svals
    sys_connect_by_path sysdate systimestamp tan time_bucket timeofday timetz_byte_comparable timezone
    timezone_hour timezone_minute to_aggregate_state to_base to_centuries to_char to_date to_decades to_hex
    to_hours to_json to_jsonb to_microseconds to_millennia to_milliseconds to_minutes to_months to_number
    to_quarters to_seconds to_timestamp to_tsquery to_tsvector to_weeks to_years today total
    transaction_timestamp translate trunc truncate try_strptime ts_headline ts_rank ts_rank_cd tsrange tstzrange
    typeof unaccent unbin unhex unicode union_extract union_tag union_value unistr unix_timestamp unixepoch
    unlikely unnest unpivot_list upper_inc url_decode url_encode var_pop var_samp variance wavg
    websearch_to_tsquery weekday weighted_avg width_bucket wm_concat word_similarity yearweek zeroblob
    zeroifnull
"""
KNOWN_FUNCTIONS = frozenset(_KNOWN_FUNCTIONS_WORDS.split())

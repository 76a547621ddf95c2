-- The service has PostgreSQL count the rows of a table that has grown (D-135). ANALYZE is the owner's right, so this runs as the owner.
-- It takes no argument, touches only tables of paymatch that have grown, and answers which one it was: '' if there was none.
DO $$ BEGIN
    EXECUTE format($function$
        CREATE FUNCTION count_grown_rows() RETURNS text
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE found record;
        BEGIN
            SELECT c.oid::regclass::text AS relation, c.relname::text AS name INTO found
            FROM pg_class c
            JOIN pg_stat_all_tables s ON s.relid = c.oid,
            LATERAL (SELECT greatest(c.reltuples, 0) AS counted,
                            (SELECT split_part(o, '=', 2)::bigint FROM unnest(c.reloptions) o
                             WHERE o LIKE 'autovacuum_analyze_threshold=%%') AS own) t
            WHERE c.relnamespace = %L::regnamespace AND c.relkind = 'r'
              AND s.n_mod_since_analyze >= 500
              AND (s.n_mod_since_analyze >= t.counted
                   OR s.n_mod_since_analyze >= least(t.own, t.counted / 5)
                      AND coalesce(greatest(s.last_analyze, s.last_autoanalyze), '-infinity') < clock_timestamp() - interval '1 minute')
            ORDER BY s.n_mod_since_analyze / (t.counted + 1) DESC, c.relname LIMIT 1;
            IF found IS NULL THEN
                RETURN '';
            END IF;
            EXECUTE 'ANALYZE (SKIP_LOCKED) ' || found.relation;
            RETURN found.name;
        END
        $body$
    $function$, current_schema());
END $$;
REVOKE ALL ON FUNCTION count_grown_rows() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_grown_rows() TO paymatch_operator;

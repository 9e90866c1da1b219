-- From a search log to visits (user, time, registrable domain) by hand: what an analyst with DuckDB would write
-- who knows the rules. The variable `logs` and the table `rules` (ending, kind) are there; the table `numbers` is
-- filled before the view `treated` is asked for.

CREATE TEMP TABLE visits AS
WITH clicks AS (
    SELECT AnonID, QueryTime, regexp_replace(ClickURL, '[\t\n\r\x0e\x0f\[\]]', '', 'g') AS url
    FROM read_csv(
        getvariable('logs'),
        delim = '\t', quote = '', escape = '', header = true,
        columns = {
            'AnonID': 'VARCHAR', 'Query': 'VARCHAR', 'QueryTime': 'VARCHAR', 'ItemRank': 'VARCHAR',
            'ClickURL': 'VARCHAR'
        }
    )
    WHERE ClickURL IS NOT NULL
), located AS (
    SELECT
        regexp_replace(AnonID, '[\x00-\x1f\x7f]', '', 'g') AS name,
        try_strptime(QueryTime, '%Y-%m-%d %H:%M:%S') AS time,
        coalesce(
            nullif(regexp_extract(url, '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//([^/?#]*)', 1), ''),
            regexp_extract(url, '^[^/?#]*')
        ) AS location
    FROM clicks
)
SELECT
    name,
    time,
    rtrim(translate(regexp_replace(regexp_replace(location, '^.*@', ''), ':.*', ''), '。．｡', '...'), '.') AS host
FROM located
WHERE name <> '' AND time IS NOT NULL;

CREATE TEMP TABLE domains AS
WITH hosts AS (
    SELECT DISTINCT host, string_split(host, '.') AS labels, string_split(lower(host), '.') AS small
    FROM visits
), endings AS (
    SELECT host, len(small) AS labels, unnest(range(1, len(small) + 1)) AS size, small[-size:] AS last
    FROM hosts
), suffixes AS (
    SELECT
        host,
        coalesce(
            max(size - 1) FILTER (kind = 'exception'),
            max(size) FILTER (kind = 'plain'),
            0
        ) AS named,
        coalesce(max(size + 1) FILTER (kind = 'wildcard' AND labels > size), 0) AS starred,
        bool_or(kind = 'exception') AS excepted
    FROM endings JOIN rules ON array_to_string(last, '.') = ending
    GROUP BY host
), parts AS (
    SELECT
        host,
        CASE WHEN excepted THEN named ELSE greatest(named, starred) END AS size,
        array_to_string(labels[-size:], '.') AS suffix,
        coalesce(labels[-size - 1], '') AS label
    FROM suffixes JOIN hosts USING (host)
)
SELECT
    host,
    CASE
        WHEN regexp_full_match(label, '[Ww]*') THEN CASE WHEN size > 1 THEN suffix END
        WHEN regexp_full_match(label, '-*[A-Za-z0-9][A-Za-z0-9-]*') THEN trim(label, '-') || '.' || suffix
    END AS domain
FROM parts
WHERE size > 0;

CREATE TEMP TABLE users AS
SELECT name, row_number() OVER () AS place
FROM (SELECT DISTINCT name FROM visits);

CREATE TEMP TABLE numbers (place BIGINT, number BIGINT);

CREATE TEMP VIEW treated AS
SELECT number AS user, time, domain
FROM visits JOIN domains USING (host) JOIN users USING (name) JOIN numbers USING (place)
WHERE domain IS NOT NULL;

// Executions can be found by a part of their label. Triggers write what finds them, so that all functions that write a label, also those of
// the release before, do so as ever, and an Execution without one costs nothing.

import type { Migration } from './migration.ts'
import { protect } from './protect.ts'

/** As `searchable` in error-grams.ts makes it of a label. What U+0000 is stored as (see stored-text.ts) is one character there. */
const searchable = (label: string): string =>
  `replace(replace(lower(${label} COLLATE "C"), U&'\\+10FFFE0', U&'\\+10FFFE'), U&'\\+10FFFE1', U&'\\+10FFFE')`

/** Hashes of its parts of one to three characters, each with the project. */
const gramsOf = (text: string, project: string): string =>
  `ARRAY(SELECT DISTINCT hashtext(substr(${text}, s.start, n.length) COLLATE "C") # hashint4(${project})
    FROM generate_series(1, 3) AS n (length) CROSS JOIN LATERAL generate_series(1, length(${text}) - n.length + 1) AS s (start))`

/** Who deletes one of them waits for all, and gives up after 3 s: labels of full length take a millisecond each. */
const AT_ONCE = 500

// The owner sees the rows until all are read; see protect.ts.
const BEGIN = `
DROP TRIGGER IF EXISTS keep_label ON executions;
DROP TRIGGER IF EXISTS keep_later_label ON executions;
DROP TRIGGER IF EXISTS forget_label ON executions;
DROP TABLE IF EXISTS label_texts;
DROP FUNCTION IF EXISTS wes_keep_label, wes_forget_label, wes_keep_older_labels;
ALTER TABLE executions NO FORCE ROW LEVEL SECURITY;

-- The labels of Executions, in lower case. \`grams\` as in error_texts.
CREATE TABLE label_texts (
  project int NOT NULL,
  execution bigint NOT NULL,
  workspace int NOT NULL,
  text text NOT NULL,
  grams int[] NOT NULL,
  PRIMARY KEY (project, execution)
);
-- One start of many moves what waits for its place in the index, which takes too long for a start where that may be 4 MB.
CREATE INDEX label_texts_by_gram ON label_texts USING gin (grams) WITH (gin_pending_list_limit = 256);
${protect('label_texts')}
ALTER TABLE label_texts NO FORCE ROW LEVEL SECURITY;

CREATE FUNCTION wes_keep_label() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE searched text := ${searchable('NEW.label')};
BEGIN
  INSERT INTO label_texts (project, execution, workspace, text, grams)
  VALUES (NEW.project, NEW.key, NEW.workspace, searched, ${gramsOf('searched', 'NEW.project')});
  RETURN NULL;
END $$;
CREATE FUNCTION wes_forget_label() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM label_texts t WHERE t.project = OLD.project AND t.execution = OLD.key;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_label AFTER INSERT ON executions
  FOR EACH ROW WHEN (NEW.label IS NOT NULL) EXECUTE FUNCTION wes_keep_label();
CREATE TRIGGER keep_later_label AFTER UPDATE OF label ON executions
  FOR EACH ROW WHEN (OLD.label IS NULL AND NEW.label IS NOT NULL) EXECUTE FUNCTION wes_keep_label();
CREATE TRIGGER forget_label AFTER DELETE ON executions
  FOR EACH ROW WHEN (OLD.label IS NOT NULL) EXECUTE FUNCTION wes_forget_label();

-- Of some Executions behind a key. The last of their keys; NULL: there are no more. Locked in the order of their keys, as by all others.
CREATE FUNCTION wes_keep_older_labels(after bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE last_one bigint; found_keys int;
BEGIN
  SELECT max(f.key), count(*) INTO last_one, found_keys
    FROM (SELECT e.key FROM executions e WHERE e.key > after ORDER BY e.key LIMIT ${AT_ONCE}) AS f;
  INSERT INTO label_texts (project, execution, workspace, text, grams)
  SELECT l.project, l.key, l.workspace, l.searched, ${gramsOf('l.searched', 'l.project')}
  FROM (
    SELECT e.key, e.project, e.workspace, ${searchable('e.label')} AS searched FROM executions e
    WHERE e.key > after AND e.key <= last_one AND e.label IS NOT NULL ORDER BY e.key FOR KEY SHARE
  ) AS l ON CONFLICT DO NOTHING;
  RETURN CASE WHEN found_keys = ${AT_ONCE} THEN last_one END;
END $$;
`

export const labelsSearched: Migration = {
  version: 72,
  fill: { begin: BEGIN, next: 'SELECT wes_keep_older_labels($1::bigint) AS next' },
  sql: `
DROP FUNCTION wes_keep_older_labels;
ALTER TABLE executions FORCE ROW LEVEL SECURITY;
ALTER TABLE label_texts FORCE ROW LEVEL SECURITY;
`,
}

import type { Migration } from './migration.ts'
import { protect } from './protect.ts'

/** The stream is kept for a day, in parts of an hour that are emptied in turn. */
export const CHANGE_SLOTS = 26
export const SLOT_MS = 3_600_000

const slots = Array.from({ length: CHANGE_SLOTS }, (_, slot) => slot)

export const changes: Migration = {
  version: 4,
  sql: `
-- What was committed, in the order of (xid, seq), which is known up to the oldest transaction that is under way. Counts by
-- status, and of failures, are folded from it: \`was\` and \`status\` are NULL before a start and after a deletion.
CREATE TABLE changes (
  slot smallint NOT NULL,
  was smallint,
  status smallint,
  -- Of a Program: its newest version's number; everything about Executions is NULL.
  program_version int,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at bigint NOT NULL,
  execution bigint,
  error_group bigint,
  workspace int NOT NULL,
  project int NOT NULL,
  version int,
  program int,
  execution_id text
) PARTITION BY LIST (slot);
CREATE INDEX changes_in_order ON changes (xid, seq);
${slots.map((slot) => `CREATE TABLE changes_${slot} PARTITION OF changes FOR VALUES IN (${slot});`).join('\n')}
${protect('changes', ...slots.map((slot) => `changes_${slot}`))}
GRANT TRUNCATE ON ${slots.map((slot) => `changes_${slot}`).join(', ')} TO wes_worker;

-- Which changes were emptied, and up to which one they were folded.
CREATE TABLE change_marks (
  name text PRIMARY KEY,
  xid xid8 NOT NULL,
  seq bigint NOT NULL
);
INSERT INTO change_marks VALUES ('emptied', '0', 0), ('folded', '0', 0);
GRANT SELECT ON change_marks TO wes_app;
GRANT SELECT, UPDATE ON change_marks TO wes_worker;

-- Up to the mark \`folded\`; what is behind it is counted with every read. A counter that every commit wrote would let
-- one commit wait for the other.
CREATE TABLE status_counts (
  version int NOT NULL,
  status smallint NOT NULL,
  workspace int NOT NULL,
  project int NOT NULL,
  program int NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (project, version, status)
);

CREATE TABLE error_groups (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  count bigint NOT NULL,
  workspace int NOT NULL,
  project int NOT NULL,
  program int NOT NULL,
  fingerprint text NOT NULL,
  UNIQUE (program, fingerprint)
);
CREATE INDEX error_groups_of_project ON error_groups (project, last_at, key);
CREATE INDEX error_groups_of_program ON error_groups (program, last_at, key);

-- The messages of failed Executions, in lower case. \`grams\`: hashes of its sequences of one to three characters, each
-- with the project, so that a text that is frequent in one project does not slow a search in another.
CREATE TABLE error_texts (
  execution bigint PRIMARY KEY,
  workspace int NOT NULL,
  text text NOT NULL,
  grams int[] NOT NULL
);
CREATE INDEX error_texts_by_gram ON error_texts USING gin (grams);
${protect('status_counts', 'error_groups', 'error_texts')}

-- What was used, a row for each transaction, until it is summed up. A counter that every commit wrote would let one commit
-- wait for the other.
CREATE TABLE usage_deltas (
  workspace int NOT NULL,
  project int NOT NULL,
  program int NOT NULL,
  -- UTC days since the epoch.
  day int NOT NULL,
  executions int NOT NULL DEFAULT 0,
  turns int NOT NULL DEFAULT 0,
  effect_attempts int NOT NULL DEFAULT 0,
  events int NOT NULL DEFAULT 0,
  compute_ms int NOT NULL DEFAULT 0,
  stored_bytes bigint NOT NULL DEFAULT 0
);
${protect('usage_deltas')}
`,
}

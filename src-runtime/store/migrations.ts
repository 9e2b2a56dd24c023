// The schema as a list of migrations, forward only. A published step is never edited.

import type Database from 'better-sqlite3'
import { groupStoredFailures } from './error-groups.ts'

/** Marks a file as ours: "WESd" as a 32-bit number in the database's header. */
export const APPLICATION_ID = 0x57_45_53_64

export type Migration = {
  readonly version: number
  readonly sql: string
  /** For what SQL cannot do. */
  readonly then?: (db: Database.Database) => void
}

const FIRST_SCHEMA = `
CREATE TABLE projects (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  is_default INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE programs (
  key INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES projects (key),
  id TEXT NOT NULL,
  description TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (project, id)
) STRICT;

CREATE TABLE versions (
  key INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES projects (key),
  program INTEGER NOT NULL REFERENCES programs (key),
  number INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL,
  origin TEXT NOT NULL,
  has_effects INTEGER NOT NULL,
  runnable INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  source_folder TEXT,
  source_path TEXT,
  manifest TEXT NOT NULL,
  UNIQUE (program, number)
) STRICT;
CREATE INDEX versions_runnable ON versions (program, number) WHERE runnable = 1;
CREATE INDEX versions_by_project ON versions (project, number);

-- Apart from the versions, so that listing those never reads code.
CREATE TABLE artifacts (
  version INTEGER PRIMARY KEY REFERENCES versions (key),
  code TEXT NOT NULL,
  source_map TEXT,
  effects TEXT
) STRICT;

-- Input and result are in the journal: its first and its last entry.
CREATE TABLE executions (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL REFERENCES versions (key),
  status INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  cancel_requested_at INTEGER,
  cancel_delivered INTEGER NOT NULL,
  last_position INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  last_command INTEGER NOT NULL,
  buffered INTEGER NOT NULL,
  error TEXT,
  error_message TEXT
) STRICT;
-- The only other index on the table, because it is written with every status: each filter of the list is a merge of
-- some of its (version, status) runs.
CREATE INDEX executions_by_version ON executions (version, status);

-- Finds the errors' messages that could contain a text; the rows decide. See error-search.ts.
CREATE VIRTUAL TABLE error_search USING fts5 (
  message, project, program, number, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram'
);
CREATE VIRTUAL TABLE error_terms USING fts5vocab (error_search, instance);

-- Where the clock was set back, see timeline.ts.
CREATE TABLE clock_runs (
  first_key INTEGER PRIMARY KEY,
  ids_follow INTEGER NOT NULL
) STRICT;

CREATE TABLE journal (
  execution INTEGER NOT NULL REFERENCES executions (key),
  position INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type INTEGER NOT NULL,
  command INTEGER,
  name TEXT,
  attempt INTEGER,
  source INTEGER,
  data TEXT,
  PRIMARY KEY (execution, position)
) STRICT, WITHOUT ROWID;

-- Commands without an answer. kind: 0 event, 1 timer, 2 effect.
CREATE TABLE pending (
  execution INTEGER NOT NULL REFERENCES executions (key),
  command INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  name TEXT,
  since INTEGER NOT NULL,
  due_at INTEGER,
  attempt INTEGER,
  position INTEGER,
  options TEXT,
  PRIMARY KEY (execution, command)
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_due ON pending (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX pending_effects ON pending (execution) WHERE kind = 2;

-- Events that were received and not delivered; their payload is in the journal.
CREATE TABLE inbox (
  execution INTEGER NOT NULL REFERENCES executions (key),
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (execution, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  project INTEGER NOT NULL REFERENCES projects (key),
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  execution INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
`

// Neither a start nor a wait writes to these indexes. The two on `executions` are written when one ends and when one
// fails, the one on `pending` when an effect must be retried.
const OVERVIEW = `
CREATE TABLE error_groups (
  key INTEGER PRIMARY KEY,
  project INTEGER NOT NULL REFERENCES projects (key),
  program INTEGER NOT NULL REFERENCES programs (key),
  fingerprint TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  UNIQUE (program, fingerprint)
) STRICT;
CREATE INDEX error_groups_of_project ON error_groups (project, last_at);
CREATE INDEX error_groups_of_program ON error_groups (program, last_at);

ALTER TABLE executions ADD COLUMN error_group INTEGER;
CREATE INDEX executions_by_error ON executions (error_group) WHERE error_group IS NOT NULL;

-- Metrics are read from it alone.
CREATE INDEX executions_by_end ON executions (status, finished_at, version, created_at) WHERE finished_at IS NOT NULL;

CREATE INDEX pending_retries ON pending (execution) WHERE kind = 2 AND due_at IS NOT NULL;

-- Executions whose row is gone and whose journal is not yet.
CREATE TABLE deletions (
  execution INTEGER PRIMARY KEY
) STRICT;

-- No key is given twice, even when the newest Execution was deleted.
CREATE TABLE deleted_keys (
  highest INTEGER NOT NULL
) STRICT;
INSERT INTO deleted_keys (highest) VALUES (0);
`

const RUN_AGAIN_AND_LABELS = `
ALTER TABLE executions ADD COLUMN again_of TEXT;
ALTER TABLE executions ADD COLUMN label TEXT;
-- Of inputs that are too large to be read for a list; see input-preview.ts.
ALTER TABLE executions ADD COLUMN input_preview TEXT;
`

// An event that precedes a wait in the journal matches it, so the wait's position is kept. Buffered bytes are counted
// too.
const POSITIONS_AND_BYTES = `
UPDATE pending SET position = journal.position FROM journal
  WHERE pending.kind = 0 AND journal.execution = pending.execution AND journal.command = pending.command
    AND journal.type = 7;

ALTER TABLE inbox ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE inbox SET bytes = coalesce((
  SELECT octet_length(data) FROM journal
    WHERE journal.execution = inbox.execution AND journal.position = inbox.position), 0);

ALTER TABLE executions ADD COLUMN buffered_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE executions SET buffered_bytes = sums.bytes
  FROM (SELECT execution, sum(bytes) AS bytes FROM inbox GROUP BY execution) AS sums
  WHERE executions.key = sums.execution;
`

// Written only when a user asks for a command before it is due.
const EARLY = 'ALTER TABLE pending ADD COLUMN early INTEGER'

const EVENT_KEYS = `
CREATE TABLE event_keys (
  execution INTEGER NOT NULL REFERENCES executions (key),
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (execution, key)
) STRICT, WITHOUT ROWID;
`

// Written only when the runtime died during an attempt.
const DEATHS = 'ALTER TABLE pending ADD COLUMN deaths INTEGER'

// Changed in the transaction of each change of a status, so that it is right after a crash as well.
const STATUS_COUNTS = `
CREATE TABLE status_counts (
  version INTEGER NOT NULL REFERENCES versions (key),
  status INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (version, status)
) STRICT, WITHOUT ROWID;
INSERT INTO status_counts (version, status, count)
  SELECT version, status, count(*) FROM executions INDEXED BY executions_by_version GROUP BY version, status;
`

// Filled by readers; see waiting-blocks.ts.
const WAITING_BLOCKS = `
CREATE TABLE waiting_blocks (
  block INTEGER PRIMARY KEY,
  sum TEXT NOT NULL
) STRICT;
`

// Beside `pending_retries`: a start continues these, and does not look at those that wait to be retried.
const FIRST_ATTEMPTS = `
DROP INDEX pending_effects;
CREATE INDEX pending_first_attempts ON pending (execution) WHERE kind = 2 AND due_at IS NULL;
`

// Of the labels of Executions up to the mark; see label-search.ts.
const LABEL_SEARCH = `
CREATE VIRTUAL TABLE label_search USING fts5 (
  message, project, program, number, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram'
);
CREATE VIRTUAL TABLE label_terms USING fts5vocab (label_search, instance);
CREATE TABLE label_mark (
  key INTEGER NOT NULL
) STRICT;
INSERT INTO label_mark (key) VALUES (0);
`
// Only Executions that run another one again are in it.
const RUNS_AGAIN = 'CREATE INDEX executions_by_again ON executions (again_of) WHERE again_of IS NOT NULL'

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: FIRST_SCHEMA },
  { version: 2, sql: OVERVIEW, then: groupStoredFailures },
  // Old keys are found without this index, and every start wrote to it.
  { version: 3, sql: 'DROP INDEX idempotency_by_age' },
  // Half of the hash is enough, and every start writes it.
  { version: 4, sql: 'UPDATE idempotency SET body_hash = substr(body_hash, 1, 22)' },
  { version: 5, sql: RUN_AGAIN_AND_LABELS },
  { version: 6, sql: POSITIONS_AND_BYTES },
  { version: 7, sql: EARLY },
  { version: 8, sql: EVENT_KEYS },
  { version: 9, sql: DEATHS },
  { version: 10, sql: STATUS_COUNTS },
  { version: 11, sql: WAITING_BLOCKS },
  { version: 12, sql: FIRST_ATTEMPTS },
  { version: 13, sql: LABEL_SEARCH },
  { version: 14, sql: RUNS_AGAIN },
]

// The schema, as the steps that lead to it. Forward only: a step that was published is never edited.

/** What makes one file ours: "WESd" as a 32-bit number in the database's header. */
export const APPLICATION_ID = 0x57_45_53_64

export type Migration = { readonly version: number; readonly sql: string }

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

export const MIGRATIONS: readonly Migration[] = [{ version: 1, sql: FIRST_SCHEMA }]

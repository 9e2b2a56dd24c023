import type { Migration } from './migration.ts'
import { protect } from './protect.ts'

// The rows of these tables are short-lived. Without this, PostgreSQL removes dead rows only when a fifth of a table is dead.
const SHORT_LIVED = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1`

export const executions: Migration = {
  version: 3,
  sql: `
-- Keys are times: 2^12 for each ms since 2020, below 2^53 until 2089. So keys are in the order of creation, and a span of
-- time is a span of keys. The sequence tells apart those of one ms.
CREATE SEQUENCE execution_keys AS bigint MINVALUE 0 MAXVALUE 4095 START 0 CYCLE;
GRANT USAGE ON SEQUENCE execution_keys TO wes_app, wes_worker;

CREATE FUNCTION wes_first_key(at bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (at - 1577836800000) * 4096;

-- Input and result are in the journal: its first and its last entry.
CREATE TABLE executions (
  key bigint PRIMARY KEY,
  created_at bigint NOT NULL,
  started_at bigint,
  finished_at bigint,
  cancel_requested_at bigint,
  -- Look at it by then at the latest. NULL: only something from outside can wake it.
  wake_at bigint,
  error_group bigint,
  workspace int NOT NULL,
  project int NOT NULL,
  program int NOT NULL,
  version int NOT NULL,
  last_position int NOT NULL,
  turns int NOT NULL,
  last_command int NOT NULL,
  buffered int NOT NULL,
  buffered_bytes int NOT NULL,
  -- Counts what came from outside: events, outcomes of effects, cancels, early actions.
  stirred int NOT NULL,
  status smallint NOT NULL,
  -- How often a sweeper claimed it since somebody last looked.
  sweeps smallint NOT NULL DEFAULT 0,
  cancel_delivered boolean NOT NULL DEFAULT false,
  id text COLLATE "C" NOT NULL UNIQUE,
  last_invocation text,
  again_of text,
  -- What started it: webhook or schedule, and its id.
  trigger_id text COLLATE "C",
  trigger_type text,
  label text,
  error text
) WITH (fillfactor = 70, ${SHORT_LIVED});
CREATE INDEX executions_by_project ON executions (project, status, key);
CREATE INDEX executions_by_version ON executions (version, status, key);
CREATE INDEX executions_by_end ON executions (project, finished_at) INCLUDE (status, version, created_at)
  WHERE finished_at IS NOT NULL;
CREATE INDEX executions_by_error ON executions (error_group, key) WHERE error_group IS NOT NULL;
CREATE INDEX executions_by_trigger ON executions (trigger_id, key) WHERE trigger_id IS NOT NULL;
CREATE INDEX executions_to_wake ON executions (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE journal (
  execution bigint NOT NULL,
  at bigint NOT NULL,
  position int NOT NULL,
  workspace int NOT NULL,
  command int,
  attempt int,
  source int,
  type smallint NOT NULL,
  name text,
  data text,
  PRIMARY KEY (execution, position)
);

-- Commands without an answer. kind: 0 event, 1 timer, 2 effect.
CREATE TABLE pending (
  execution bigint NOT NULL,
  since bigint NOT NULL,
  due_at bigint,
  workspace int NOT NULL,
  project int NOT NULL,
  program int NOT NULL,
  command int NOT NULL,
  attempt int,
  position int,
  deaths int,
  kind smallint NOT NULL,
  early boolean,
  name text COLLATE "C",
  -- Who performs the attempt.
  performer text,
  options text,
  PRIMARY KEY (execution, command)
) WITH (${SHORT_LIVED});
CREATE INDEX pending_by_name ON pending (project, kind, name, execution) INCLUDE (since, program);
CREATE INDEX pending_retries ON pending (project, execution) WHERE kind = 2 AND due_at IS NOT NULL;

-- Events that were received and not delivered; their payload is in the journal.
CREATE TABLE inbox (
  execution bigint NOT NULL,
  received_at bigint NOT NULL,
  position int NOT NULL,
  workspace int NOT NULL,
  bytes int NOT NULL,
  id text NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (execution, position)
) WITH (${SHORT_LIVED});

-- What attempts led to, until it is delivered.
CREATE TABLE outcomes (
  execution bigint NOT NULL,
  at bigint NOT NULL,
  workspace int NOT NULL,
  command int NOT NULL,
  attempt int NOT NULL,
  ok boolean NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (execution, command)
) WITH (${SHORT_LIVED});

CREATE TABLE idempotency (
  project int NOT NULL,
  workspace int NOT NULL,
  execution bigint NOT NULL,
  created_at bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  body_hash text NOT NULL,
  PRIMARY KEY (project, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE event_keys (
  execution bigint NOT NULL,
  created_at bigint NOT NULL,
  workspace int NOT NULL,
  position int NOT NULL,
  key text COLLATE "C" NOT NULL,
  body_hash text NOT NULL,
  PRIMARY KEY (execution, key)
);
CREATE INDEX event_keys_by_age ON event_keys (created_at);

-- Deleted Executions of whose journals something is left.
CREATE TABLE deletions (
  execution bigint PRIMARY KEY,
  workspace int NOT NULL,
  project int NOT NULL,
  program int NOT NULL
);
${protect('executions', 'journal', 'pending', 'inbox', 'outcomes', 'idempotency', 'event_keys', 'deletions')}
`,
}

import type { Migration } from './migration.ts'
import { protect } from './protect.ts'

export const bulks: Migration = {
  version: 5,
  sql: `
CREATE TABLE bulks (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace int NOT NULL,
  id text COLLATE "C" NOT NULL UNIQUE,
  action text NOT NULL,
  status text NOT NULL,
  matched int NOT NULL,
  done int NOT NULL DEFAULT 0,
  failed int NOT NULL DEFAULT 0,
  -- How many of its items were handed out.
  taken int NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  -- Nobody else works on it before.
  free_at bigint NOT NULL,
  project_id text
);
CREATE INDEX bulks_running ON bulks (free_at) WHERE status = 'running';
CREATE INDEX bulks_of_workspace ON bulks (workspace, key);

-- In the order of \`number\`, from 0. One of the two: a key of what matched, or an id that was named.
CREATE TABLE bulk_items (
  bulk bigint NOT NULL REFERENCES bulks (key) ON DELETE CASCADE,
  number int NOT NULL,
  workspace int NOT NULL,
  execution bigint,
  execution_id text,
  PRIMARY KEY (bulk, number)
);
${protect('bulks', 'bulk_items')}
`,
}

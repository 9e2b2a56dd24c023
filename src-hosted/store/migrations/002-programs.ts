import type { Migration } from './migration.ts'
import { protect, protectBy } from './protect.ts'

export const programs: Migration = {
  version: 2,
  sql: `
CREATE TABLE workspaces (
  key int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  created_at bigint NOT NULL
);
${protectBy('workspaces', 'key')}

CREATE TABLE projects (
  key int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace int NOT NULL REFERENCES workspaces (key),
  id text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  is_default boolean NOT NULL,
  created_at bigint NOT NULL,
  UNIQUE (workspace, name)
);
CREATE UNIQUE INDEX projects_default ON projects (workspace) WHERE is_default;

CREATE TABLE programs (
  key int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace int NOT NULL,
  project int NOT NULL REFERENCES projects (key),
  id text COLLATE "C" NOT NULL,
  description text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (project, id)
);

CREATE TABLE versions (
  key int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace int NOT NULL,
  project int NOT NULL REFERENCES projects (key),
  program int NOT NULL REFERENCES programs (key),
  number int NOT NULL,
  id text COLLATE "C" NOT NULL UNIQUE,
  digest text NOT NULL,
  has_effects boolean NOT NULL,
  runnable boolean NOT NULL,
  created_at bigint NOT NULL,
  manifest text NOT NULL,
  UNIQUE (program, number)
);
CREATE INDEX versions_of_project ON versions (project, program);

-- Apart from the versions, so that listing those never reads code.
CREATE TABLE artifacts (
  version int PRIMARY KEY REFERENCES versions (key) ON DELETE CASCADE,
  workspace int NOT NULL,
  code text NOT NULL,
  source_map text,
  effects text
);
${protect('projects', 'programs', 'versions', 'artifacts')}
`,
}

// Changes of a version that were folded after it was removed left counts of 0, which nobody removed.

import { foldFunction } from './008-upkeep.ts'
import type { Migration } from './migration.ts'

export const WITHOUT_ZEROS = {
  variables: ' projects int[]; versions int[];',
  counted: `
    RETURNING s.project, s.version, s.count`,
  end: `  SELECT (SELECT count(*) FROM batch), array_agg(c.project), array_agg(c.version) INTO folded, projects, versions
  FROM counted c WHERE c.count = 0;
  DELETE FROM status_counts s USING unnest(projects, versions) AS z (project, version)
  WHERE s.project = z.project AND s.version = z.version AND s.count = 0;`,
}

const FOLD = foldFunction(
  `-- As before; but of what it has counted down to 0, no row is left.
CREATE OR REPLACE FUNCTION`,
  WITHOUT_ZEROS,
)

export const noZeroCounts: Migration = {
  version: 67,
  sql: `${FOLD}ALTER TABLE status_counts NO FORCE ROW LEVEL SECURITY;
DELETE FROM status_counts WHERE count = 0;
ALTER TABLE status_counts FORCE ROW LEVEL SECURITY;
`,
}

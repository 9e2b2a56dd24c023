/**
 * Row-level security for a table with a column `workspace`: `wes_app` sees and writes the rows of the workspace that its
 * statement names, and none if it names no workspace; `wes_worker` names its rows by their keys. Protect every new table. The owner
 * sees no rows, unless it is a superuser: a migration that changes rows takes FORCE from the table before, and gives it back after.
 */
export const protect = (...tables: readonly string[]): string =>
  tables.map((table) => protectBy(table, 'workspace')).join('')

/** The same, where another column holds the workspace's key. */
export const protectBy = (table: string, column: string): string => `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_workspace ON ${table} TO wes_app
  USING (${column} = (SELECT wes_workspace())) WITH CHECK (${column} = (SELECT wes_workspace()));
CREATE POLICY of_worker ON ${table} TO wes_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO wes_app, wes_worker;
`

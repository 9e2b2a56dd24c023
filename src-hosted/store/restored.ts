// What a restored database needs. Changes are in the order of PostgreSQL's transactions; a server that a dump was restored to counts these
// from the beginning, so the changes of the dump would stay ahead of all that come.

import type { Session } from './database.ts'

/** Whether the changes are ahead of the server's transactions. */
export const CHANGES_AHEAD = `SELECT xid > pg_snapshot_xmax(pg_current_snapshot()) AS is_ahead FROM change_marks WHERE name = 'folded'`

const NEW_EPOCH = 'UPDATE service SET epoch = DEFAULT'

/** '1': is counted already. '2': not yet. No new transaction has such a number. */
const RENUMBER = `
UPDATE changes c SET xid = CASE WHEN (c.xid, c.seq) > (m.xid, m.seq) THEN '2'::xid8 ELSE '1' END
  FROM change_marks m WHERE m.name = 'folded';
UPDATE change_marks SET xid = CASE name WHEN 'folded' THEN '1'::xid8 ELSE '0' END, seq = ${Number.MAX_SAFE_INTEGER};
`

/**
 * Numbers the changes anew if they are ahead of the server; then, or if the caller knows that the database was restored, the stream of
 * changes has another name, so that whoever follows it reads everything again. As the database's owner. Answers whether it has.
 */
export const restartChanges = async (session: Session, isRestored: boolean): Promise<boolean> => {
  const [folded] = await session.run<{ is_ahead: boolean }>(CHANGES_AHEAD)
  if (folded!.is_ahead) {
    await session.run(`BEGIN;
      ALTER TABLE changes NO FORCE ROW LEVEL SECURITY;
      ${RENUMBER}
      ${NEW_EPOCH};
      ALTER TABLE changes FORCE ROW LEVEL SECURITY;
      COMMIT`)
  } else if (isRestored) await session.run(NEW_EPOCH)
  return folded!.is_ahead || isRestored
}

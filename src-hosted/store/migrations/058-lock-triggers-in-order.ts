// The replacement of a project's Triggers, which locked them in another order than the starts of schedules do: the two could wait
// for each other.

import { REMOVE_OTHERS, replaceTriggersFunction } from './033-keep-secrets.ts'
import type { Migration } from './migration.ts'

export const lockTriggersInOrder: Migration = {
  version: 58,
  sql: replaceTriggersFunction(
    `-- Whether the list still had the revision that was seen, and so was replaced. A Trigger that was there keeps what firing
-- wrote to it, and its next time unless that is another one than was seen. Its row is locked first, so that nobody advances
-- a schedule whose next time was read here, and a secret that is kept is the one that a rotation has just sealed anew. The rows
-- are locked in the order of wes_keep_triggers.`,
    `  PERFORM FROM triggers t WHERE t.project = project_key ORDER BY t.id FOR UPDATE;
${REMOVE_OTHERS}`,
  ),
}

// The change of an Execution that failed within its start had the time of the start, so its group said that it had failed before it had.

import { startFunction } from './006-accept.ts'
import { LOOK_AGAIN } from './049-expired-keys.ts'
import type { Migration } from './migration.ts'

export const failedAt: Migration = {
  version: 66,
  sql: startFunction('CREATE OR REPLACE FUNCTION', LOOK_AGAIN, 'coalesce(finished, at)'),
}

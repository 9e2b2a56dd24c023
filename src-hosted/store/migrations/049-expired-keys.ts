// A key that is no longer kept starts one Execution, however many processes send it at that moment.

import { startFunction } from './006-accept.ts'
import type { Migration } from './migration.ts'

/** Another start has replaced the row while this one waited for its lock: the new one is kept. */
export const LOOK_AGAIN = `
      CONTINUE WHEN NOT FOUND;`

export const expiredKeys: Migration = { version: 49, sql: startFunction('CREATE OR REPLACE FUNCTION', LOOK_AGAIN) }

// The newest version is refused as such, also where there are Executions of it: deleting these would not help.

import { IF_NEWEST, IF_USED, removeVersionFunction } from './042-remove-version-once.ts'
import type { Migration } from './migration.ts'

export const newestBeforeUsed: Migration = { version: 53, sql: removeVersionFunction(IF_NEWEST + IF_USED) }

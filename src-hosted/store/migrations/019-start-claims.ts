// Starts that come at the same moment note who performs the effects that begin at once, as wes_start does.

import { startManyFunction } from './018-start-many.ts'
import type { Migration } from './migration.ts'

export const PERFORMER = { column: ', performer', value: ', o.performer', type: ', performer text' }

export const startClaims: Migration = {
  version: 19,
  sql: startManyFunction('CREATE OR REPLACE FUNCTION', { performer: PERFORMER }),
}

// What was entered on Programs' pages and not started, until the page is loaded again.

import { keptUnder } from './kept-under.ts'

export type StartEntries = {
  /** undefined: nothing was typed. */
  readonly text: string | undefined
  readonly choice: number | 'newest'
  readonly idempotencyKey: string
}

/** By `recentKey`. */
const entered = new Map<string, StartEntries>()

export const enteredBefore = (key: string): StartEntries | undefined => entered.get(key)

/** undefined: what was entered has been started. */
export const keepEntries = (key: string, entries: StartEntries | undefined): void => {
  if (entries === undefined) entered.delete(key)
  else entered.set(key, entries)
}

export const forgetEntriesOf = (connection: string): void => {
  const name = keptUnder(connection)
  for (const key of entered.keys()) if ((JSON.parse(key) as readonly unknown[])[0] === name) entered.delete(key)
}

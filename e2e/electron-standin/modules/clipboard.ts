import type { Clipboard } from 'electron'
import { emulate } from '../emulate.ts'

let text = ''

/** The app's own clipboard, separate from the system's and the page's. Text only. */
export const clipboard = emulate<Clipboard>()('clipboard', {
  readText: async () => text,
  writeText: async (written: string) => void (text = written),
  clear: () => void (text = ''),
})

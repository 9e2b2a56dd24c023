import type { Shell } from 'electron'
import { emulate } from '../emulate.ts'

/** Throws instead of opening anything. Tests replace the members, as with the real one. */
const tell = (name: string, what: string): void => console.error(`stand-in: shell.${name} ${what}`)

export const shell = emulate<Shell>()('shell', {
  openExternal: async (url: string) => tell('openExternal', url),
  async openPath(path: string) {
    tell('openPath', path)
    return ''
  },
  showItemInFolder: (path: string) => tell('showItemInFolder', path),
  beep: () => {},
})

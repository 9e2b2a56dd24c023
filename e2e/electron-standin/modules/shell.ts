import type { Shell } from 'electron'
import { emulate } from '../emulate.ts'

/** Opens nothing, and says so. Tests see the calls by replacing the members, as they have to with the real one. */
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

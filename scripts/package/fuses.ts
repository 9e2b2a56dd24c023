// Compares the fuses in the binary of a package with those in electron-builder.yml.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '../..')

/** What we use of the package. */
const fuses = createRequire(import.meta.url)('@electron/fuses') as {
  /** Numbers and names of the options, as TypeScript's enums have them. */
  readonly FuseV1Options: Readonly<Record<string, string | number>>
  getCurrentFuseWire(executable: string): Promise<Readonly<Record<string, unknown>>>
}
const ON = '1'.charCodeAt(0)

/** What the binary has other than configured; empty if it is right. On macOS, of an app's folder. */
export const fuseFaults = async (executable: string): Promise<readonly string[]> => {
  const { electronFuses } = parse(readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')) as {
    readonly electronFuses: Readonly<Record<string, boolean>>
  }
  const wire = await fuses.getCurrentFuseWire(executable)
  return Object.entries(electronFuses).flatMap(([name, isOn]) => {
    const option = fuses.FuseV1Options[name.charAt(0).toUpperCase() + name.slice(1)]
    if (option === undefined) return [`@electron/fuses does not know the fuse ${name}`]
    return (wire[option] === ON) === isOn ? [] : [`the fuse ${name} is not ${isOn ? 'on' : 'off'}`]
  })
}

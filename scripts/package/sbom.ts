// `node scripts/package/sbom.ts`: prints the list of all packages that the desktop app is built from or with (CycloneDX, JSON), from
// package-lock.json alone, so it needs no installation. It does not look into packages: Chromium and Node are parts of
// `electron`, SQLite of `better-sqlite3`, QuickJS of `quickjs-wasi`.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
/** A development dependency, because packaging tools find it there, and the largest part of each package. */
const SHIPPED = 'electron'

type Component = { readonly name: string; readonly version: string; readonly scope?: string }

export type Bom = {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
}

/** npm names the application after the folder of the checkout. */
export const corrected = <Given extends Bom>(bom: Given, name: string): Given => ({
  ...bom,
  metadata: { ...bom.metadata, component: { ...bom.metadata.component, name } },
  components: bom.components.map((one) => (one.name === SHIPPED ? { ...one, scope: 'required' } : one)),
})

export const makeBom = (): Bom => {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  const text = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' })
  const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly name: string }
  return corrected(JSON.parse(text) as Bom, name)
}

if (import.meta.main) console.log(JSON.stringify(makeBom(), undefined, 2))

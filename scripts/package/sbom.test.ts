import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeBom } from './sbom.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = <Content>(name: string): Content => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as Content

type Lockfile = { readonly packages: Readonly<Record<string, { readonly version?: string; readonly link?: boolean }>> }

it('the list of components names the app, every package of the lockfile, and Electron as a part of the product', () => {
  const { name, version } = read<{ readonly name: string; readonly version: string }>('package.json')
  const { metadata, components } = makeBom()
  expect(metadata.component).toMatchObject({ name, version })
  const listed = new Set(components.map((one) => `${one.name}@${one.version}`))
  const locked = Object.entries(read<Lockfile>('package-lock.json').packages).flatMap(([path, one]) =>
    path.includes('node_modules/') && one.link !== true
      ? [`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${one.version}`]
      : [],
  )
  expect(locked.filter((one) => !listed.has(one))).toEqual([])
  const electron = components.find((one) => one.name === 'electron')
  expect(electron).toMatchObject({
    version: read<Lockfile>('package-lock.json').packages['node_modules/electron']?.version,
  })
  expect(electron?.scope).toBe('required')
})

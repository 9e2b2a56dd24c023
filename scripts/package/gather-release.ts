// `node scripts/package/gather-release.ts FROM TO`: moves the packages of all machines, each in its own folder of FROM, into one.
// The machines for macOS describe their packages in a file of one name, so these are joined. Uses no packages, because it runs
// where a release is written.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Two descriptions of the same version, as electron-builder writes them. */
export const joinDescriptions = (one: string, other: string): string => {
  const [first, second] = [partsOf(one), partsOf(other)]
  if (first.version !== second.version) throw new Error(`${first.version} and ${second.version} are not one release`)
  return `${first.before}${first.files}${second.files}${first.after}`
}

const partsOf = (text: string) => {
  const [, before = '', files = '', after = ''] = /^([^]*?^files:\n)((?: +.*\n)+)([^]*)$/m.exec(text) ?? []
  const version = /^version: (.+)$/m.exec(before)?.[1]
  if (version === undefined) throw new Error(`this describes no release:\n${text}`)
  return { before, files, after, version }
}

export const gather = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true })
  for (const folder of readdirSync(from).toSorted()) {
    for (const name of readdirSync(join(from, folder))) {
      const [source, target] = [join(from, folder, name), join(to, name)]
      if (!existsSync(target)) renameSync(source, target)
      else if (!name.endsWith('.yml')) throw new Error(`two machines have made ${name}`)
      else writeFileSync(target, joinDescriptions(readFileSync(target, 'utf8'), readFileSync(source, 'utf8')))
    }
  }
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2)
  if (from === undefined || to === undefined) throw new Error('name a folder with folders of packages, and another one')
  gather(from, to)
}

// The files whose settings affect how modules are compiled.

import { dirname, join, resolve } from 'node:path'
import { realPath } from '../shared/real-path.ts'
import { isDependency, type SourceFiles } from './source-files.ts'
import { inPackages, isMissing } from '../shared/stat-of.ts'

const TSCONFIG = 'tsconfig.json'
const SETTINGS = ['package.json', TSCONFIG]

/** Finds them for some modules, by their names. Each config is read once. */
export const createSettingsOf = (files: SourceFiles): ((names: readonly string[]) => readonly string[]) => {
  const bases = new Map<string, readonly string[]>()

  const basesOf = (name: string): readonly string[] => {
    const known = bases.get(name)
    if (known !== undefined) return known
    bases.set(name, []) // configs may extend each other in circles
    const found = extendedBy(files.text(name) ?? '').flatMap((base) => fileOfBase(dirname(files.fileOf(name)), base))
    const names = found.map(files.nameOf)
    const all = [...new Set([...names, ...names.flatMap(basesOf)])]
    bases.set(name, all)
    return all
  }

  return (names) => {
    const own = ownSettingsOf(names)
    return [...new Set([...own, ...own.flatMap((name) => (name.endsWith(TSCONFIG) ? basesOf(name) : []))])]
  }
}

/** In the project folder, and from the folders of the modules up. Not in those above the project, which may be anything. */
const ownSettingsOf = (names: readonly string[]): readonly string[] => {
  const folders = new Set(['.'])
  for (const name of names) {
    if (isDependency(name)) continue
    for (let at = dirname(name); !folders.has(at) && !/^[./]+$/.test(at); at = dirname(at)) folders.add(at)
  }
  return [...folders].flatMap((folder) => SETTINGS.map((file) => (folder === '.' ? file : `${folder}/${file}`)))
}

const TEXT = /"(?:[^"\\]|\\.)*"/g

/** What a config extends. One in a comment does no harm: a file is watched, or looked at, for nothing. */
export const extendedBy = (config: string): readonly string[] =>
  [...config.matchAll(/"extends"\s*:\s*("[^"\n]*"|\[[^\]]*\])/g)].flatMap(([, value = '']) =>
    (value.match(TEXT) ?? []).map((text) => text.slice(1, -1)),
  )

/** Those that may be meant and are missing may be created. Of packages, none: they are replaced as a whole. */
const fileOfBase = (folder: string, base: string): readonly string[] => {
  if (/^\.{0,2}[\\/]|^[A-Za-z]:/.test(base)) {
    const file = resolve(folder, base)
    return base.endsWith('.json') ? [file] : [file, `${file}.json`]
  }
  const found = inPackages(folder, base)
    .flatMap((inside) => [inside, `${inside}.json`, join(inside, TSCONFIG)])
    .find((file) => file.endsWith('.json') && !isMissing(file))
  // Of a package of the same repository, the file behind the link.
  return found === undefined ? [] : [realPath(found)]
}

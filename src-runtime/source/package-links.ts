// The links by which package managers such as pnpm name packages. The bundler only tells where they lead to.

import { dirname, join } from 'node:path'
import type { Metafile } from 'esbuild'
import { sourceNameOf } from './bundling.ts'
import type { SourceFiles } from './source-files.ts'
import { inPackages, statOf } from '../shared/stat-of.ts'

type Inputs = Metafile['inputs']

/** Many Programs share one bundling. */
const known = new WeakMap<Inputs, Map<string, string | undefined>>()

const PACKAGE = /^(?:@[^/:]+\/)?[^./@#:][^/:]*/

/** Undefined for paths and for `#imports`. */
export const packageNameIn = (specifier: string): string | undefined => PACKAGE.exec(specifier)?.[0]

/**
 * The names, by their links, of the package.json files of the packages that a module of a bundle imports: an update may leave the
 * old files in place, and only point the link at others.
 */
export const packageLinksOf = (files: SourceFiles, inputs: Inputs, key: string): readonly string[] => {
  const links = known.get(inputs) ?? new Map<string, string | undefined>()
  known.set(inputs, links)
  const folder = dirname(files.fileOf(sourceNameOf(key)))
  return (inputs[key]?.imports ?? []).flatMap(({ original = '' }) => {
    const name = packageNameIn(original)
    if (name === undefined) return []
    const place = `${folder} ${name}`
    if (!links.has(place)) links.set(place, linkAbove(folder, name))
    const file = links.get(place)
    return file === undefined ? [] : [files.nameOf(file)]
  })
}

/** The package.json of a package that modules in a folder import, by the name of its link. */
export const linkAbove = (folder: string, name: string): string | undefined =>
  inPackages(folder, join(name, 'package.json')).find((file) => statOf(file) !== undefined)

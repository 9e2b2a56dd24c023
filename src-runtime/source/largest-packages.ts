// Which packages make an artifact large: the bundler writes the name of each module before its code.

import { isDependency, packageOf } from './source-files.ts'

const MODULE = /^ *\/\/ (\S.*)$/gm

/** A file that is deployed may be anything. */
type Compiled = { readonly program?: { readonly code?: unknown }; readonly effects?: { readonly code?: unknown } }

const INSTEAD =
  'import only the parts that the effects use, which some packages also offer as packages of their own, such as @googleapis/drive in place of googleapis, or use a smaller package'

/** The end of a sentence: at most three, the largest first, of those with a twentieth of the code each. */
export const becauseOfPackages = ({ program, effects }: Compiled): string => {
  const sizes = new Map<string, number>()
  const codes = [program?.code, effects?.code].filter((code) => typeof code === 'string')
  for (const code of codes) {
    const modules = [...code.matchAll(MODULE)].filter(([, name]) => isDependency(name!))
    for (const [index, { 1: name, index: start }] of modules.entries()) {
      const owner = packageOf(name!)
      sizes.set(owner, (sizes.get(owner) ?? 0) + (modules[index + 1]?.index ?? code.length) - start)
    }
  }
  const least = codes.join('').length / 20
  const largest = [...sizes]
    .filter(([, size]) => size > least)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name]) => name)
  return largest.length === 0 ? '' : `, most of all because of ${largest.join(', ')}: ${INSTEAD}`
}

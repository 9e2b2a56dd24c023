// Tells through which imports a module is part of a Program.

import type { Metafile } from 'esbuild'
import { keyOf, SLICE, sourceNameOf, type Definition } from './bundling.ts'
import { THROUGH } from './source-error.ts'

type Bundled = { readonly definition: Definition; readonly inputs: Metafile['inputs'] }

/** For errors in other modules: the chain of imports. */
export const chainText = ({ definition, inputs }: Bundled, to: string): string => {
  if (to === definition.path) return ''
  const start = Object.keys(inputs).find((key) => key.endsWith(SLICE + keyOf(definition)))
  return start === undefined ? '' : textOf(importChain(inputs, start, to))
}

/** Without the module that `entry` names, which is not the author's. */
export const chainBehind = (inputs: Metafile['inputs'], entry: string, to: string): string =>
  textOf(importChain(inputs, entry, to).slice(1))

const textOf = (chain: readonly string[]): string => (chain.length < 2 ? '' : THROUGH + chain.join(' → '))

const importChain = (inputs: Metafile['inputs'], start: string, to: string): readonly string[] => {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]])
  const queue = [start]
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    if (sourceNameOf(at) === to) {
      const chain: string[] = []
      for (let key: string | undefined = at; key !== undefined; key = cameFrom.get(key))
        chain.unshift(sourceNameOf(key))
      return chain
    }
    for (const { path } of inputs[at]?.imports ?? []) {
      if (cameFrom.has(path)) continue
      cameFrom.set(path, at)
      queue.push(path)
    }
  }
  return []
}

// What the bundles of this compiler have in common: options, and the names of the modules that it makes up.

import { extname } from 'node:path'
import type { BuildFailure, BuildOptions, Loader, Message } from 'esbuild'

/** An exported definition of a Program. */
export type Definition = { readonly path: string; readonly exportName: string }

export type BundlingOf<Bundle> =
  | { readonly ok: true; readonly bundles: readonly Bundle[]; readonly warnings: readonly Message[] }
  | { readonly ok: false; readonly errors: readonly Message[] }

/** Before the key of a definition: the script that runs it, and the part of its module that it needs. */
export const ENTRY = 'wes-entry:'
export const SLICE = 'wes-slice:'
/** Before the name of an effect module: references to its effects. */
export const EFFECTS = 'wes:effects/'

export const OWN_MODULE = /\.[cm]?[jt]sx?$/

/** Marks what a plugin of ours asks esbuild, of which it must not be asked again. */
export const PLAIN = Symbol('plain')

/** The file behind a module of a bundle. Others keep their names. */
export const sourceNameOf = (name: string): string => {
  if (name.startsWith(SLICE)) {
    const rest = name.slice(SLICE.length)
    return rest.includes('#') ? definitionOf(rest).path : rest
  }
  return name.startsWith('wes-effect-slice:') ? name.slice('wes-effect-slice:'.length) : name
}

/** What all bundles have in common: nothing that depends on the machine, the day or the terminal. */
export const COMMON = {
  bundle: true,
  write: false as const,
  metafile: true as const,
  sourcemap: 'external' as const,
  sourcesContent: false,
  legalComments: 'none' as const,
  charset: 'utf8' as const,
  treeShaking: true,
  nodePaths: [],
  logLevel: 'silent' as const,
  logLimit: 0,
} satisfies BuildOptions

export const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && Array.isArray((error as { errors?: unknown }).errors)

export const keyOf = ({ path, exportName }: Definition): string => `${path}#${encodeURIComponent(exportName)}`

export const definitionOf = (key: string): Definition => {
  const at = key.lastIndexOf('#')
  return { path: key.slice(0, at), exportName: decodeURIComponent(key.slice(at + 1)) }
}

export const loaderOf = (name: string): Loader => {
  switch (extname(name)) {
    case '.ts':
    case '.mts':
    case '.cts':
      return 'ts'
    case '.tsx':
      return 'tsx'
    case '.jsx':
      return 'jsx'
    default:
      return 'js'
  }
}

// Parses Electron's command line: `electron [flags] [-r module]… APP [arguments for the app]`, and that of an installed app,
// which is not named: `app [-r module]… [arguments for the app]`.

import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { AppFacts } from './running.ts'

export type Launch = {
  /** Modules to load before the app, such as Playwright's. */
  readonly required: readonly string[]
  readonly entry: string
  readonly facts: AppFacts
  /** `process.argv` without the executable. */
  readonly args: readonly string[]
}

type Manifest = {
  readonly name?: string
  readonly productName?: string
  readonly version?: string
  readonly main?: string
}

export const readCommandLine = (args: readonly string[]): Launch => {
  const required: string[] = []
  let target = '.'
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!
    if (argument === '-r' || argument === '--require') required.push(args[++index] ?? '')
    else if (!argument.startsWith('-')) {
      target = argument
      break
    }
  }
  return { required, args, ...findApp(resolve(target)) }
}

/** Electron's fuses would forbid `-r`; tests need it. */
export const readInstalledCommandLine = (executable: string, args: readonly string[]): Launch => {
  const archive = join(dirname(executable), 'resources/app.asar')
  if (!statSync(archive).isDirectory()) throw new Error(`stand-in: it cannot read archives; extract ${archive}`)
  const required = args.filter((_, index) => args[index - 1] === '-r')
  const own = args.filter((argument, index) => argument !== '-r' && args[index - 1] !== '-r')
  const { entry, facts } = findApp(archive)
  return { required, args: own, entry, facts: { ...facts, installedAs: executable } }
}

const findApp = (path: string): Pick<Launch, 'entry' | 'facts'> => {
  if (!statSync(path).isDirectory()) {
    return { entry: path, facts: { folder: dirname(path), name: 'Electron', version: electronVersion() } }
  }
  const { name, productName, version, main } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest
  return {
    entry: resolve(path, main ?? 'index.js'),
    facts: { folder: path, name: productName ?? name ?? 'Electron', version: version ?? electronVersion() },
  }
}

/** The version of the package whose types the stand-in implements. */
export const electronVersion = (): string => {
  const manifest = join(import.meta.dirname, '../../node_modules/electron/package.json')
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version
}

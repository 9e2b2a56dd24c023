// Translates esbuild's errors for the author, with positions in the project's files.

import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Message } from 'esbuild'
import { OWN_MODULE, sourceNameOf, TOP_LEVEL_AWAIT, UNRESOLVED } from './bundling.ts'
import { exportNamed } from './module-facts.ts'
import { nearName } from '../shared/near-name.ts'
import { withoutPrefix } from './place-prefix.ts'
import { sourceError, startOf, type SourceError } from './source-error.ts'
import { isDependency, packageOf, type SourceFiles } from './source-files.ts'
import { pathsUp, statOf } from '../shared/stat-of.ts'

/** `chainTo`: through which imports a module is in the bundle, for errors that only those who import it can mend. */
export const bundlerErrors = (
  files: SourceFiles,
  messages: readonly Message[],
  chainTo?: (path: string) => string,
): readonly SourceError[] =>
  oncePerInstall(
    messages.filter(({ text }) => !SECOND_OF_DEFER.test(text)).map((message) => bundlerError(files, message, chainTo)),
  )

/** Of a hundred modules that need a package which is not installed, the first one is enough. */
const oncePerInstall = (errors: readonly SourceError[]): readonly SourceError[] => {
  const asked = new Set<string>()
  return errors.filter(({ message }) => {
    const [what] = INSTALL.exec(message) ?? []
    const isNew = what === undefined || !asked.has(what)
    if (what !== undefined) asked.add(what)
    return isNew
  })
}

const INSTALL = /run `npm install [^`]+`/

const bundlerError = (files: SourceFiles, given: Message, chainTo = (_path: string) => ''): SourceError => {
  if (isSourceError(given.detail)) return given.detail
  const { location, text } = withoutPrefix(given)
  if (location === null) return sourceError(startOf('.'), textFor(files, text, '.'), undefined)
  const path = sourceNameOf(location.file)
  // In the same words as where the module is read on its own.
  const reading = OWN_MODULE.test(path) && !isDependency(path) ? files.read(path) : undefined
  if (reading?.ok === false) return reading.errors[0]!
  const column = Buffer.from(location.lineText).subarray(0, location.column).toString().length + 1
  const marked = Buffer.from(location.lineText)
    .subarray(location.column, location.column + location.length)
    .toString()
  const place = { path, line: location.line, column }
  // JSX imports a module that its text does not name.
  const specifier = /^(['"])(.*)\1$/.exec(marked)?.[2] ?? UNRESOLVED.exec(text)?.[1]
  const why = specifier === undefined || !UNRESOLVED.test(text) ? '' : whyUnresolved(files, path, specifier, given)
  const chain = TOP_LEVEL_AWAIT.test(text) || isDependency(path) ? chainTo(path) : ''
  const error = sourceError(place, textFor(files, text, path) + why + chain, files.text(path), marked.length)
  return specifier === undefined ? error : { ...error, wanted: wantedBy(files, path, specifier) }
}

/** What the bundler proposes to those who call it. */
const NO_REASON = /^(?:You can mark|Consider enabling) /

/** Where a file is called like the package, which may only have to be installed. */
const FILE_OF_NAME = /^Use the relative path "(.*?)" to reference/

/** The bundler has reasons where it found a package.json that speaks of the module. */
const whyUnresolved = (files: SourceFiles, path: string, specifier: string, { notes }: Message): string => {
  const reasons = notes.map(({ text }) => text).filter((text) => !NO_REASON.test(text) && !FILE_OF_NAME.test(text))
  const [, unbuilt] = reasons.map((text) => NO_FILE.exec(text)).find((found) => found !== null) ?? []
  if (unbuilt !== undefined) return `: ${isUnbuilt(unbuilt)}`
  if (reasons.length > 0) return `: ${reasons.map((text) => text.replace(/:$/, '')).join('. ')}`
  if (/^\.{1,2}\//.test(specifier)) return meant(nearFile(files, path, specifier))
  if (/^[./#]/.test(specifier)) return isDependency(path) ? asDocumented(packageOf(path)) : ''
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  const installed = wantedBy(files, path, name).find((wanted) => statOf(files.fileOf(wanted)) !== undefined)
  if (installed !== undefined) {
    const main = specifier === name ? mainOf(files, installed) : undefined
    return `: package "${name}" is installed, but ${main === undefined ? 'has no such module' : isUnbuilt(main)}`
  }
  const dependencies = dependenciesAt(files, path)
  const file = notes.map(({ text }) => FILE_OF_NAME.exec(text)?.[1]).find((found) => found !== undefined)
  if (isDependency(path) && dependencies.includes(name)) {
    return `: package "${packageOf(path)}" names it, but it is not installed: run \`npm install ${name}\``
  }
  return dependencies.includes(name)
    ? ': package.json names it, but it is not installed: run `npm install`'
    : `: it is neither an installed package nor one of the paths in tsconfig.json${meant(nearName(name, dependencies) ?? file)}`
}

/** What the bundler says of a file that a package exports. */
const NO_FILE = /^The module "([^"]*)" was not found/

/** As packages of a workspace are before their first build. */
const isUnbuilt = (file: string): string =>
  `its package.json names ${file}, which does not exist: build the package, or install it again`

const mainOf = (files: SourceFiles, folder: string): string | undefined => {
  const { main } = parsed(files.text(`${folder}/package.json`) ?? '{}') as { readonly main?: unknown }
  return typeof main === 'string' && main !== '' ? main : undefined
}

/** It may have to make what it imports, or do without that. */
const asDocumented = (name: string): string =>
  `: see the documentation of package "${name}" for how to set it up, and how to bundle it`

const meant = (name: string | undefined): string => (name === undefined ? '' : `. Did you mean "${name}"?`)

/** As the specifier is written: without the ending if it has none. */
const nearFile = (files: SourceFiles, path: string, specifier: string): string | undefined => {
  const wanted = basename(specifier)
  const entries = namesIn(dirname(resolve(files.folderOf(path), specifier)))
  const names = extname(wanted) === '' ? entries.map((entry) => entry.replace(OWN_MODULE, '')) : entries
  const near = nearName(
    wanted,
    names.filter((name) => name !== wanted),
  )
  return near && specifier.slice(0, -wanted.length) + near
}

/** Of the module's package.json, and of those in the folders above. */
const dependenciesAt = (files: SourceFiles, path: string): readonly string[] =>
  pathsUp(files.folderOf(path)).flatMap((folder) =>
    dependenciesIn(files.text(files.nameOf(join(folder, 'package.json'))) ?? '{}'),
  )

const dependenciesIn = (packageJson: string): readonly string[] => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = parsed(packageJson)
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies })
}

const parsed = (packageJson: string): Readonly<Record<string, object | undefined>> => {
  try {
    return (JSON.parse(packageJson) ?? {}) as Readonly<Record<string, object | undefined>>
  } catch {
    return {}
  }
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** What `specifier` stands for in a module: a file, or a package of a folder above. */
const wantedBy = (files: SourceFiles, path: string, specifier: string): readonly string[] => {
  if (specifier.startsWith('.')) return [files.nameOf(resolve(files.folderOf(path), specifier))]
  return pathsUp(files.folderOf(path))
    .map((folder) => join(folder, 'node_modules'))
    .filter((packages) => statOf(packages)?.isDirectory() === true)
    .map((packages) => files.nameOf(join(packages, specifier)))
}

const isSourceError = (detail: unknown): detail is SourceError =>
  typeof detail === 'object' && detail !== null && 'frame' in detail && 'path' in detail

/** The bundler has two errors for `import defer`. */
const DEFER = /^Deferred imports are not available/
const SECOND_OF_DEFER = /^Bundling (?:with )?deferred imports/
const NO_LOADER = /^No loader is configured for "[^"]*" files: (.*)$/
const NO_EXPORT = /^No matching export in "wes:(effects\/|sdk|definers)([^"]*)" for import "([^"]*)"/

const NO_SUCH_EXPORT = /^No matching export in "([^"]*)" for import "([^"]*)"/

const nearExport = (files: SourceFiles, text: string): string | undefined => {
  const [, module = '', name = ''] = NO_SUCH_EXPORT.exec(text) ?? []
  const facts = OWN_MODULE.test(module) ? files.facts(sourceNameOf(module)) : undefined
  return nearName(
    name,
    (facts?.exports ?? []).flatMap((one) => (one.kind === 'all' ? [] : [one.name])),
  )
}

const topLevelAwait = (path: string): string => {
  if (path.startsWith('wes.config.')) return 'top-level await is not available in a config'
  const instead = isDependency(path) ? `use package "${packageOf(path)}" in an effect` : 'await inside its function'
  return `top-level await is not available in a Program: ${instead}`
}

const textFor = (files: SourceFiles, text: string, path: string): string => {
  if (TOP_LEVEL_AWAIT.test(text)) return topLevelAwait(path)
  if (DEFER.test(text)) return '`import defer` is not available: import without `defer`'
  const [, unknown] = NO_LOADER.exec(text) ?? []
  if (unknown !== undefined)
    return (
      `${unknown} cannot be imported: it is not JavaScript, TypeScript, JSON or text (.txt)` +
      (isDependency(path) ? asDocumented(packageOf(path)).replace(':', '.').replace('see', 'See') : '')
    )
  const missing = NO_EXPORT.exec(text)
  if (missing === null) return text + meant(nearExport(files, text))
  const [, kind, module = '', name = ''] = missing
  if (kind !== 'effects/') {
    return `workflow-execution-service has no export "${name}" in the version that comes with this runtime`
  }
  return exportNamed(files.facts(module), name) !== undefined
    ? `"${name}" of ${module} is not a function: Programs can import only functions from a *.effects.ts module. Move shared values into another module`
    : `${module} has no exported function "${name}"`
}

// Modules of effects begin with the place of their source, which is not where their bundle runs.

import type { Message } from 'esbuild'
import type { Place } from './source-error.ts'

/** What modules name their place by, and what it is replaced with. */
export const OWN_PLACE = {
  'import.meta.url': 'wesUrl',
  'import.meta.filename': 'wesFilename',
  'import.meta.dirname': 'wesDirname',
  __filename: 'wesFilename',
  __dirname: 'wesDirname',
}

const USES_PLACE = /\bimport\.meta\b|\b__(?:file|dir)name\b/

export const usesPlace = (text: string): boolean => USES_PLACE.test(text)

const PREFIX_START = 'const { fileURLToPath: wesToPath'
const PREFIX_END = `wesFilename = wesToPath(wesUrl), wesDirname = wesToPath(new URL('.', wesUrl)).replace(/[\\\\/]$/, ''); `

/**
 * The effect host's working directory is the project folder. On one line, to keep the line numbers. Without an import,
 * to keep CommonJS modules CommonJS.
 */
export const placePrefix = (url: string): string =>
  `${PREFIX_START}, pathToFileURL: wesToUrl } = globalThis.process.getBuiltinModule('node:url'), ` +
  `wesUrl = new URL(${JSON.stringify(url)}, wesToUrl(globalThis.process.cwd() + '/')).href, ` +
  PREFIX_END

/** Corrects the position of an esbuild message in the first line, which begins with `placePrefix`. */
export const withoutPrefix = ({ location, ...message }: Message): Message => {
  if (location === null || location.line !== 1 || !location.lineText.startsWith(PREFIX_START)) {
    return { ...message, location }
  }
  const prefix = location.lineText.slice(0, location.lineText.indexOf(PREFIX_END) + PREFIX_END.length)
  const lineText = location.lineText.slice(prefix.length)
  return {
    ...message,
    location: { ...location, lineText, column: Math.max(0, location.column - Buffer.byteLength(prefix)) },
  }
}

/** The same for a place that a source map gives, of a module with this text. */
export const placeWithoutPrefix = (place: Place, text: string, url: string): Place =>
  place.line === 1 && usesPlace(text)
    ? { ...place, column: Math.max(1, place.column - placePrefix(url).length) }
    : place

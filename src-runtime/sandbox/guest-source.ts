// The guest runtime as one script. Its files are ES modules for editors, lint and tests. In the guest they share one
// function scope, because a Program could `import()` a module and reach our internals.

import { readFileSync } from 'node:fs'
import { RETRY_LIMITS } from '../shared/retry-limits.ts'

/** Stack frames with this file name are not the author's. */
export const GUEST_FILE = 'wes:runtime'

/** In order of evaluation: each file needs only those before it while it is evaluated. */
const FILES = [
  'limits.js',
  'primordials.js',
  'control.js',
  'errors.js',
  'durations.js',
  'random.js',
  'inspect.js',
  'output.js',
  'console.js',
  'promises.js',
  'payload.js',
  'failure.js',
  'commands.js',
  'abort.js',
  'url.js',
  'clone.js',
  'dates.js',
  'globals.js',
  'program.js',
]

const IMPORT = /^import [^;]*? from '[^']+'$/gm
const EXPORT = /^export (?=const|class)/gm

const asScopeText = (source: string): string => source.replace(IMPORT, '').replace(EXPORT, '')

export const readGuestSource = (): string => {
  const folder = new URL('./guest/', import.meta.url)
  const parts = FILES.map((name) => asScopeText(readFileSync(new URL(name, folder), 'utf8')))
  return `(() => {\n'use strict'\nconst RETRY_LIMITS = ${JSON.stringify(RETRY_LIMITS)}\n${parts.join('\n')}\nreturn entryPoints\n})()`
}

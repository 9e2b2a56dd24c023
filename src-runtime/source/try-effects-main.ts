// The process that tries whether effects can be loaded. It has no network and no environment, and reads few folders.

import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import workers, { Worker } from 'node:worker_threads'
import { hideDeniedFiles } from '../shared/hide-denied-files.ts'
import { closeChannel, closeNetwork, closeUncheckedFiles, refuseFunctions } from './restrict-process.ts'

type Request = { readonly folder: string; readonly code: string; readonly replaced: readonly string[] }

/** Does whatever is done with a native package as it is loaded. */
const STAND_IN = `const standIn = new Proxy(function () {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : name === 'then' || name === Symbol.iterator ? undefined : standIn),
  apply: () => standIn,
  construct: () => standIn,
})
module.exports = standIn`

/** As a module in the folder, which gets no file. */
const load = async ({ folder, code, replaced }: Request): Promise<unknown> => {
  const url = pathToFileURL(join(folder, 'effects.mjs')).href
  const standIn = pathToFileURL(join(folder, 'stand-in.cjs')).href
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === url) return { url, format: 'module', shortCircuit: true }
      if (replaced.includes(specifier)) return { url: standIn, format: 'commonjs', shortCircuit: true }
      return next(specifier, context)
    },
    load: (specifier, context, next) => {
      if (specifier === url) return { format: 'module', source: code, shortCircuit: true }
      if (specifier === standIn) return { format: 'commonjs', source: STAND_IN, shortCircuit: true }
      return next(specifier, context)
    },
  })
  return import(url)
}

/** Beside this module, in the sources and in a bundle. */
const WATCHDOG = join(import.meta.dirname, `try-effects-watchdog${extname(import.meta.filename)}`)

/** Without it, the process ends with its parent unless effects loop. */
const watchParent = (): void => {
  try {
    const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }
    const watchdog = new Worker(WATCHDOG, { workerData: process.ppid, env: {}, resourceLimits })
    watchdog.on('error', () => undefined)
    watchdog.unref()
  } catch {
    // The system has no thread left.
  }
}

const send = process.send?.bind(process)

const sayFailure = (error: unknown): void => {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  send?.({ failure: { message, stack } })
}

process.once('message', (request: Request) => {
  load(request).then(() => send?.({}), sayFailure)
})
// What effects do later, such as to connect, is not tried.
process.on('uncaughtException', () => undefined)
process.on('disconnect', () => process.exit())
Error.stackTraceLimit = 50

watchParent()
hideDeniedFiles()
/**
 * Variables that effects set are ignored. Those of a file `.env` are known in the project's folder alone, and on the service its
 * environment has them.
 */
process.env = new Proxy({ ...process.env }, { set: () => true, defineProperty: () => true, deleteProperty: () => true })
closeNetwork()
closeUncheckedFiles()
closeChannel()
// In a thread, what is closed here would be open.
refuseFunctions(workers, ['Worker'])
// Node's permissions do not deny signals.
refuseFunctions(process, ['kill', '_kill', '_debugProcess', '_debugEnd'])
syncBuiltinESMExports()

// The process that tries whether effects can be loaded. It has no network and no environment, and reads few folders.

import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hideDeniedFiles } from '../shared/hide-denied-files.ts'
import { closeChannel, closeNetwork, closeUncheckedFiles, refuseFunctions } from './restrict-process.ts'

type Request = { readonly folder: string; readonly code: string }

/** As a module in the folder, which gets no file. */
const load = async ({ folder, code }: Request): Promise<unknown> => {
  const url = pathToFileURL(join(folder, 'effects.mjs')).href
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === url ? { url, format: 'module', shortCircuit: true } : next(specifier, context),
    load: (specifier, context, next) =>
      specifier === url ? { format: 'module', source: code, shortCircuit: true } : next(specifier, context),
  })
  return import(url)
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

hideDeniedFiles()
/**
 * Variables that effects set are ignored. Those of a file `.env` are known in the project's folder alone, and on the service its
 * environment has them.
 */
process.env = new Proxy({ ...process.env }, { set: () => true, defineProperty: () => true, deleteProperty: () => true })
closeNetwork()
closeUncheckedFiles()
closeChannel()
// Node's permissions do not deny signals.
refuseFunctions(process, ['kill', '_kill', '_debugProcess', '_debugEnd'])
syncBuiltinESMExports()

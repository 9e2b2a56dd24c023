// Evaluates effect bundles as modules located in the project folder, without writing a file there. So bare imports,
// `#imports` and `import.meta.url` work as in the project.

import { registerHooks, setSourceMapsSupport } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Buffer, hasOwn } from './built-ins.ts'

export type Bundles = {
  /** Rejects with what the modules threw. */
  load(bundle: {
    readonly digest: string
    readonly code: string
    readonly sourceMap: string | undefined
  }): Promise<void>
  /** What a loaded bundle exports by a name. */
  exported(digest: string, name: string): unknown
}

type Namespace = Readonly<Record<string, unknown>>

/** `onRead`: gets the files of other modules, before they are read. */
export const createBundles = (folder: string, onRead: (file: string) => void): Bundles => {
  const loaded = new Map<string, Namespace>()
  /** Source texts that are about to be evaluated, by URL. */
  const sources = new Map<string, string>()

  let lastRead: string | undefined

  setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
  registerHooks({
    resolve: (specifier, context, next) =>
      sources.has(specifier) ? { url: specifier, format: 'module', shortCircuit: true } : next(specifier, context),
    load: (url, context, next) => {
      const source = sources.get(url)
      lastRead = source === undefined && url.startsWith('file:') ? fileURLToPath(url) : undefined
      if (source !== undefined) return { format: 'module', source, shortCircuit: true }
      if (lastRead !== undefined) onRead(lastRead)
      return next(url, context)
    },
  })

  return {
    load: async ({ digest, code, sourceMap }) => {
      const url = pathToFileURL(folder + sep).href + fileNameOf(digest)
      sources.set(url, sourceMap === undefined ? code : withSourceMap(code, sourceMap))
      try {
        loaded.set(digest, (await import(url)) as Namespace)
      } catch (error) {
        // Another bundle that loads at the same time may have read it.
        throw explained(error, url, sources.size === 1 ? lastRead : undefined)
      } finally {
        sources.delete(url)
      }
    },
    exported: (digest, name) => {
      const namespace = loaded.get(digest)
      return namespace !== undefined && hasOwn(namespace, name) ? namespace[name] : undefined
    },
  }
}

const fileNameOf = (digest: string): string => `effects-${digest.slice(0, 16)}.mjs`

/** Changes what Node's messages leave out, or say of the bundle, which is no file. `lastRead`: the file of the module that was read last. */
const explained = (error: unknown, url: string, lastRead: string | undefined): unknown => {
  if (!(error instanceof Error)) return error
  const { code, message, stack = '' } = error as NodeJS.ErrnoException
  if (code === 'ERR_MODULE_NOT_FOUND') error.message = message.replace(` imported from ${fileURLToPath(url)}`, '')
  else if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') error.message = `${message}. ${JAVASCRIPT}`
  else if (error instanceof SyntaxError) {
    const [, file = '', line = ''] = PLACE.exec(stack) ?? []
    const at = file !== '' ? `${pathOf(file)}:${line}` : PARSING.test(stack) ? lastRead : undefined
    const advice = code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' ? `. ${UNCOMPILED}` : ''
    error.message = `${at === undefined || file === url ? '' : `${at} `}${message}${advice}`
  }
  return error
}

/** With what the stack of a SyntaxError begins, where Node knows the file. */
const PLACE = /^((?:file:|\/|[A-Za-z]:\\).+):(\d+)\n/
/** Of an ES module it does not say which. */
const PARSING = /^SyntaxError: .*\n\s+at compileSourceTextModule /
const pathOf = (file: string): string => (file.startsWith('file:') ? fileURLToPath(file) : file)

const JAVASCRIPT = 'Let the package export JavaScript'
const UNCOMPILED = `Node runs the TypeScript of packages without compiling it. ${JAVASCRIPT}, or write it without such syntax (erasableSyntaxOnly in tsconfig.json finds it)`

const withSourceMap = (code: string, sourceMap: string): string =>
  `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(sourceMap).toString('base64')}`

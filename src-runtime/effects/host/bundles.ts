// Evaluates effect bundles as modules located in the project folder, without writing a file there. So bare imports,
// `#imports` and `import.meta.url` work as in the project.

import { registerHooks, setSourceMapsSupport } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

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

  setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
  registerHooks({
    resolve: (specifier, context, next) =>
      sources.has(specifier) ? { url: specifier, format: 'module', shortCircuit: true } : next(specifier, context),
    load: (url, context, next) => {
      const source = sources.get(url)
      if (source !== undefined) return { format: 'module', source, shortCircuit: true }
      if (url.startsWith('file:')) onRead(fileURLToPath(url))
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
        throw explained(error, url)
      } finally {
        sources.delete(url)
      }
    },
    exported: (digest, name) => {
      const namespace = loaded.get(digest)
      return namespace !== undefined && Object.hasOwn(namespace, name) ? namespace[name] : undefined
    },
  }
}

const fileNameOf = (digest: string): string => `effects-${digest.slice(0, 16)}.mjs`

/** Changes what Node's messages leave out, or say of a file that does not exist. */
const explained = (error: unknown, url: string): unknown => {
  if (!(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case 'ERR_MODULE_NOT_FOUND':
      // The importing file is the bundle.
      error.message = error.message.replace(` imported from ${fileURLToPath(url)}`, '')
      break
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      error.message = `${placeIn(error.stack)}${error.message}. ${UNCOMPILED}`
      break
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      error.message = `${error.message}. ${JAVASCRIPT}`
      break
    default:
  }
  return error
}

const JAVASCRIPT = 'Let the package export JavaScript'
const UNCOMPILED = `Node runs the TypeScript of packages without compiling it. ${JAVASCRIPT}, or write it without such syntax (erasableSyntaxOnly in tsconfig.json finds it)`

/** Where the stack begins with a file and a line. */
const placeIn = (stack = ''): string => {
  const [, url, line] = /^(file:.+):(\d+)\n/.exec(stack) ?? []
  return url === undefined ? '' : `${fileURLToPath(url)}:${line} `
}

const withSourceMap = (code: string, sourceMap: string): string =>
  `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(sourceMap).toString('base64')}`

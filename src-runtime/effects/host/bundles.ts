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
        throw withoutImporter(error, url)
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

/** For a missing module, Node's message names the importing file. Here that file does not exist, so it is removed. */
const withoutImporter = (error: unknown, url: string): unknown => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
    error.message = error.message.replace(` imported from ${fileURLToPath(url)}`, '')
  }
  return error
}

const withSourceMap = (code: string, sourceMap: string): string =>
  `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(sourceMap).toString('base64')}`

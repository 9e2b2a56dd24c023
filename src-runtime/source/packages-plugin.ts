// For bundles that contain their packages: refuses native packages, and leaves out those that are optional.

import type { OnResolveResult, Plugin } from 'esbuild'
import { PLAIN } from './bundling.ts'
import { isOptional, isNative, isNativeFile, nativeRefusal, installedPackageOf } from './native-packages.ts'

/** Package names, and files of compiled code. */
const MAY_BE_NATIVE = /^[^./]|^\.[^./]|\.node$/

export const packagesPlugin: Plugin = {
  name: 'wes-packages',
  setup: (own) => {
    own.onResolve(
      { filter: MAY_BE_NATIVE },
      async ({ path, importer, namespace, resolveDir, kind, pluginData, with: attributes }) => {
        if (pluginData === PLAIN || namespace !== 'file' || kind === 'entry-point') return undefined
        const found = await own.resolve(path, {
          importer,
          namespace,
          resolveDir,
          kind,
          pluginData: PLAIN,
          with: attributes,
        })
        return found.errors.length > 0 || found.external ? undefined : resultFor(path, importer, found.path)
      },
    )
  },
}

const resultFor = (specifier: string, importer: string, file: string): OnResolveResult | undefined => {
  const owner = installedPackageOf(file)
  const isForeign = owner !== undefined && owner.folder !== installedPackageOf(importer)?.folder
  if (!isNativeFile(file) && !(isForeign && isNative(owner))) return undefined
  if (isOptional(importer, specifier)) return { path: specifier, external: true }
  return { errors: [{ text: nativeRefusal(file) }] }
}

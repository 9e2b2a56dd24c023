// For bundles that import their packages from the project's folder: contains the TypeScript of linked packages, such as those of
// a workspace, because Node runs TypeScript without compiling it.

import type { ImportKind, OnResolveResult, Plugin } from 'esbuild'
import { PLAIN } from './bundling.ts'
import { linkAbove, packageNameIn } from './package-links.ts'
import { isDependency, type SourceFiles } from './source-files.ts'

const TYPESCRIPT = /\.[cm]?tsx?$/

export const linkedPackagesPlugin = (files: SourceFiles): Plugin => ({
  name: 'wes-linked-packages',
  setup: (own) => {
    const packageFor = (specifier: string, folder: string): string | undefined => {
      const name = packageNameIn(specifier)
      return name === undefined ? undefined : linkAbove(folder, name)
    }

    /** What Node imports by URL, it requires by path. */
    const specifierOf = (file: string, kind: ImportKind): string => {
      const name = files.nameOf(file)
      return files.specifierOf(kind.startsWith('require') ? name : files.urlOf(name))
    }

    const resultFor = (
      specifier: string,
      folder: string,
      file: string,
      kind: ImportKind,
    ): OnResolveResult | undefined => {
      const linked = packageFor(specifier, folder)
      if (!isDependency(files.nameOf(file))) {
        const isCompiled = linked === undefined || TYPESCRIPT.test(file)
        return isCompiled ? undefined : { path: specifier, external: true }
      }
      // The bundle runs in the project's folder, from where the name may lead elsewhere or nowhere.
      const isSame = linked !== undefined && linked === packageFor(specifier, files.folder)
      return { path: isSame ? specifier : specifierOf(file, kind), external: true }
    }

    own.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, kind, namespace, with: attributes, ...from }) => {
      if (pluginData === PLAIN || namespace !== 'file' || kind === 'entry-point') return undefined
      const given = { ...from, namespace, kind, with: attributes, pluginData: PLAIN }
      const found = await own.resolve(path, given)
      // Node says it when an effect needs the package, which may be installed until then.
      if (found.errors.length > 0) return path.startsWith('#') ? undefined : { path, external: true }
      return found.external ? undefined : resultFor(path, from.resolveDir, found.path, kind)
    })
  },
})

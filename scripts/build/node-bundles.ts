// How esbuild bundles the runtime for Node: for the bundle of `wes`, and for the child processes of the desktop app.

import { readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'

/** electron-vite bundles this module into its configuration, and keeps only this URL unchanged. */
const root = fileURLToPath(new URL('../..', import.meta.url)).replaceAll('\\', '/')

/** The oldest Node that runs it. */
type Target = 'node22' | 'node24'

const SQLITE = 'better-sqlite3'
/** Not bundled, because they find their files by path, or have native code. */
const PACKAGES_OUTSIDE = [SQLITE, 'esbuild', 'oxc-parser', 'quickjs-wasi']
/** Left out: a third of all code, which Fastify loads for schemas and injected requests that we do not use. */
const NOT_NEEDED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request']

/** What Fastify loads for servers that we do not use, and for plugins that name a version. */
const RARELY_NEEDED = /^(?:node:https|node:http2|semver)$/

/** Evaluates modules when they are first used: 5 ms for all of semver. */
const evaluatedLate: Plugin = {
  name: 'evaluated-late',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: RARELY_NEEDED }, ({ path, kind, namespace, resolveDir }) =>
      kind === 'require-call' && namespace === 'file'
        ? { path, namespace: 'built-late', pluginData: resolveDir }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'built-late' }, ({ path, pluginData }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require('${path}')[name] })`,
      loader: 'js',
      resolveDir: pluginData as string,
    }))
  },
}

/**
 * An `import` of a Node module reads all of its exports, and so loads the lazy ones too: 7 ms for node:fs alone. esbuild copies the
 * own properties of what a module exports, for each importer, and inherits the others. Our modules that import the default may change it,
 * so they get the Node module itself.
 */
const withoutNamespaces: Plugin = {
  name: 'without-namespaces',
  setup: ({ onResolve, onLoad }) => {
    // One per importer, because a module that several chunks import would become another chunk, and so another file to read.
    onResolve({ filter: /^node:/ }, ({ path, kind, importer }) => {
      if (kind !== 'import-statement') return { path, external: true }
      const place = relative(root, importer.replaceAll('\\', '/'))
      const mayChange = !/(?:^|\/)node_modules\//.test(place) && importsDefault(importer, path)
      const pluginData = `const builtIn = process.getBuiltinModule('${path}')
        module.exports = ${mayChange ? 'builtIn' : INHERITED}`
      return { path: `${path} of ${place}`, namespace: 'built-in', pluginData }
    })
    onLoad({ filter: /./, namespace: 'built-in' }, ({ pluginData }) => ({
      contents: pluginData as string,
      loader: 'js',
    }))
  },
}

const INHERITED = 'Object.getPrototypeOf(builtIn) === Object.prototype ? Object.create(builtIn) : builtIn'

const importsDefault = (importer: string, name: string): boolean =>
  new RegExp(`^import \\w+(?:, \\{[^}]*\\})? from '${name}'`, 'm').test(readFileSync(importer, 'utf8'))

/** Gives modules the same `import.meta` as in the sources, relative to the folder of the output. */
const placesOf = (outFolder: string): Plugin => ({
  name: 'places',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!/\bimport\.meta\.(?:dirname|filename|url)\b/.test(source)) return undefined
      const place = relative(root, path.replaceAll('\\', '/'))
      const file = JSON.stringify(relative(outFolder, place).replace(/ts$/, 'js'))
      const declared = [
        `const wesFilename = wesJoin(wesOutFolder, ${file})`,
        'const wesDirname = wesJoin(wesFilename, "..")',
        'const wesUrl = wesToUrl(wesFilename).href',
      ]
      // What a module loads later is in the bundle, too, and evaluated then.
      const code = source.replaceAll('createRequire(import.meta.url)(', 'require(')
      return { contents: `${declared.join('; ')}; ${code}`, loader: path.endsWith('ts') ? 'ts' : 'js' }
    })
  },
})

const PLACES = `const { createRequire: wesCreateRequire } = process.getBuiltinModule('node:module')
const { join: wesJoin } = process.getBuiltinModule('node:path')
const { pathToFileURL: wesToUrl } = process.getBuiltinModule('node:url')
`
const BANNER = `${PLACES}const require = wesCreateRequire(import.meta.url)
const wesOutFolder = import.meta.dirname
`
const SCRIPT_BANNER = `'use strict'
${PLACES}const wesOutFolder = __dirname
const wesResolve = (name) => wesToUrl(require.resolve(name)).href
`

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  metafile: true,
  // Node reads and checks all of the code at each start, whether it is cached or not: without white space and comments,
  // `wes dev` needs a fifth less processor time until `ready`. Names stay the same, and lines short, for stack traces.
  minifyWhitespace: true,
  lineLimit: 200,
  logLevel: 'warning',
} satisfies BuildOptions

/** `outFolder`: where the bundle is written, relative to the place of the sources' root in the output. */
export const onNode = (outFolder: string, target: Target) =>
  ({
    ...COMMON,
    platform: 'node',
    target,
    external: [...PACKAGES_OUTSIDE, ...NOT_NEEDED],
    banner: { js: BANNER },
    define: {
      'import.meta.dirname': 'wesDirname',
      'import.meta.filename': 'wesFilename',
      'import.meta.url': 'wesUrl',
    },
    plugins: [evaluatedLate, withoutNamespaces, placesOf(outFolder)],
  }) satisfies BuildOptions

/** Of a child process, with all that it imports in one file, which must be at the path of its source in the output. */
export const ofProcess = (entry: string, target: Target) => ({
  ...onNode(dirname(entry), target),
  entryPoints: [entry],
})

/** The same, with the driver of SQLite, for where the process cannot read it: its binary is read from `nodeModules`, relative to the bundle. */
export const withSqlite = (options: ReturnType<typeof ofProcess>, nodeModules: string) => ({
  ...options,
  external: options.external.filter((name) => name !== SQLITE),
  plugins: [sqliteIn(nodeModules), ...options.plugins],
})

const sqliteIn = (nodeModules: string): Plugin => ({
  name: 'sqlite',
  setup: ({ onLoad }) => {
    onLoad({ filter: /better-sqlite3[\\/]lib[\\/]binding\.js$/ }, ({ path }) => {
      const place = `const __dirname = wesJoin(wesOutFolder, ${JSON.stringify(`${nodeModules}/${SQLITE}/lib`)})`
      return { contents: `${place}\n${readFileSync(path, 'utf8')}`, loader: 'js' }
    })
  },
})

/** As one script, for `runScript` in src-cli/compile-cache.mjs. */
export const asScript = (outFolder: string, target: Target) => {
  const options = onNode(outFolder, target)
  return {
    ...options,
    format: 'cjs',
    charset: 'ascii',
    banner: { js: SCRIPT_BANNER },
    define: { ...options.define, 'import.meta.resolve': 'wesResolve' },
  } satisfies BuildOptions
}

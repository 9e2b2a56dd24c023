// Checks the imports between rooms against the table below; ARCHITECTURE.md says what each room is for. Fails for a room
// that is not in the table, and if it finds no modules.

import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

type Row = {
  /** The rooms that it may import from. */
  readonly uses: readonly string[]
  /** The rooms from which it may import types only. */
  readonly types?: readonly string[]
  /** It may not import any package or built-in module, or none of Node's. */
  readonly without?: 'packages' | 'node'
  /** It loads users' code, so its import() may have a computed path. */
  readonly loadsCode?: true
}

const TABLE: Readonly<Record<string, Row>> = {
  engine: { uses: [], without: 'packages' },
  shared: { uses: [], types: ['source', 'engine', 'ports'] },
  contract: { uses: ['shared'], types: ['engine'] },
  ports: { uses: [], types: ['shared', 'contract', 'engine', 'sandbox', 'effects', 'source'] },
  store: { uses: ['shared', 'engine'], types: ['ports'] },
  sandbox: { uses: ['shared'], types: ['engine'] },
  effects: { uses: ['shared'], types: ['engine'], loadsCode: true },
  source: { uses: ['shared'], loadsCode: true },
  worker: { uses: ['shared', 'engine', 'sandbox'], types: ['ports', 'store', 'effects'] },
  identity: { uses: [] },
  pages: { uses: [] },
  connections: { uses: ['shared', 'contract'] },
  'data-directory': { uses: ['shared', 'store'] },
  operations: {
    uses: ['shared', 'identity', 'engine', 'contract'],
    types: ['ports', 'store', 'sandbox', 'effects', 'source'],
  },
  http: { uses: ['shared', 'identity', 'pages', 'operations', 'contract'], types: ['ports'] },
  'create-runtime': {
    uses: [
      'shared',
      'pages',
      'connections',
      'data-directory',
      'contract',
      'store',
      'sandbox',
      'effects',
      'source',
      'worker',
      'operations',
      'http',
    ],
  },
  'hosted-boot': { uses: ['shared', 'data-directory'] },
  'hosted-dispatch': { uses: ['shared'] },
  'hosted-store': { uses: ['shared', 'engine', 'contract'], types: ['ports', 'hosted-usage'] },
  'hosted-effects': { uses: ['shared', 'effects', 'hosted-egress'], types: ['engine'] },
  'hosted-egress': { uses: ['shared'] },
  'hosted-visits': {
    uses: ['shared', 'engine', 'worker'],
    types: ['sandbox', 'effects', 'ports', 'hosted-store', 'hosted-dispatch'],
  },
  'hosted-changes': { uses: ['shared', 'operations'], types: ['contract', 'ports', 'hosted-store'] },
  'hosted-metrics': { uses: ['shared', 'engine'], types: ['effects', 'hosted-dispatch', 'hosted-store'] },
  'hosted-tracing': { uses: ['shared'], types: ['effects', 'sandbox', 'hosted-dispatch', 'hosted-store'] },
  'hosted-upkeep': {
    uses: ['shared', 'contract', 'operations'],
    types: ['hosted-dispatch', 'hosted-limits', 'hosted-store'],
  },
  'hosted-roles': {
    uses: [
      'shared',
      'pages',
      'sandbox',
      'operations',
      'http',
      'hosted-boot',
      'hosted-dispatch',
      'hosted-effects',
      'hosted-environment',
      'hosted-http',
      'hosted-ingress',
      'hosted-limits',
      'hosted-metrics',
      'hosted-store',
      'hosted-tokens',
      'hosted-tracing',
      'hosted-triggers',
      'hosted-upkeep',
      'hosted-visits',
    ],
    types: ['ports', 'effects', 'hosted-changes', 'hosted-ports', 'hosted-shared'],
  },
  'hosted-create-hosted': {
    uses: [
      'shared',
      'effects',
      'http',
      'hosted-boot',
      'hosted-changes',
      'hosted-dispatch',
      'hosted-environment',
      'hosted-limits',
      'hosted-metrics',
      'hosted-roles',
      'hosted-store',
      'hosted-tokens',
      'hosted-tracing',
      'hosted-upkeep',
    ],
    types: ['hosted-shared'],
  },
  'hosted-operator': {
    uses: ['shared', 'contract', 'hosted-boot', 'hosted-environment', 'hosted-store', 'hosted-tokens'],
    types: ['operations'],
  },
  'hosted-ports': { uses: [], types: ['contract', 'ports', 'hosted-environment', 'hosted-store', 'hosted-tokens'] },
  'hosted-shared': { uses: ['contract', 'operations'], types: ['hosted-limits', 'hosted-tracing'] },
  'hosted-limits': { uses: ['shared', 'contract'], types: ['ports', 'http', 'hosted-store'] },
  'hosted-tokens': {
    uses: ['shared', 'contract', 'operations', 'http', 'hosted-environment', 'hosted-limits', 'hosted-shared'],
    types: ['ports', 'hosted-ports', 'hosted-store'],
  },
  'hosted-triggers': {
    uses: ['shared', 'identity', 'contract', 'operations', 'hosted-environment', 'hosted-shared'],
    types: ['ports', 'hosted-ports', 'hosted-store'],
  },
  'hosted-ingress': {
    uses: ['shared', 'contract', 'http', 'hosted-environment', 'hosted-triggers'],
    types: ['hosted-limits', 'hosted-store'],
  },
  'hosted-environment': {
    uses: ['shared', 'contract', 'operations', 'hosted-shared'],
    types: ['hosted-ports', 'hosted-store'],
  },
  'hosted-usage': { uses: ['shared', 'contract'], types: ['hosted-ports'] },
  'hosted-billing': { uses: ['contract', 'operations', 'hosted-usage'], types: ['hosted-ports'] },
  'hosted-http': {
    uses: ['hosted-billing', 'hosted-environment', 'hosted-tokens', 'hosted-triggers', 'hosted-usage'],
    types: ['contract', 'http', 'hosted-ports'],
  },
  'src-sdk': { uses: [], without: 'packages' },
  'sdk-testing': { uses: ['src-sdk', 'engine', 'shared'], without: 'packages' },
  'src-cli': {
    uses: [
      'shared',
      'identity',
      'data-directory',
      'create-runtime',
      'sandbox',
      'source',
      'operations',
      'src-sdk',
      'hosted-create-hosted',
      'hosted-limits',
      'hosted-operator',
      'hosted-store',
      'hosted-tracing',
    ],
    types: ['contract', 'hosted-shared'],
  },
  'src-main': {
    uses: [
      'shared',
      'identity',
      'pages',
      'connections',
      'data-directory',
      'create-runtime',
      'src-sdk',
      'hidden-characters',
    ],
    types: ['desktop-api'],
  },
  'desktop-api': { uses: [], types: ['identity', 'shared'], without: 'packages' },
  'hidden-characters': { uses: [], without: 'packages' },
  // The page: `ui` imports only packages, features do not import each other, `app` may import everything.
  'page-ui': { uses: ['hidden-characters'], without: 'node' },
  'page-leaf': { uses: [], types: ['desktop-api'], without: 'node' },
  'page-stores': { uses: ['page-leaf'], types: ['page-parts'], without: 'node' },
  'page-api': { uses: ['page-leaf', 'src-sdk'], types: ['connections'], without: 'node' },
  'page-parts': {
    uses: ['hidden-characters', 'page-leaf', 'page-ui', 'page-stores', 'page-api'],
    types: ['connections', 'src-sdk'],
    without: 'node',
  },
  'page-feature': {
    uses: ['hidden-characters', 'page-leaf', 'page-ui', 'page-stores', 'page-api', 'page-parts'],
    types: ['connections', 'src-sdk'],
    without: 'node',
  },
  'page-app': {
    uses: ['hidden-characters', 'page-leaf', 'page-ui', 'page-stores', 'page-api', 'page-parts', 'page-feature'],
    types: ['connections', 'src-sdk'],
    without: 'node',
  },
}

const ONLY_IN: Readonly<Record<string, string>> = {
  electron: 'src-main',
  'better-sqlite3': 'store',
  'ipaddr.js': 'hosted-egress',
  '@restatedev/restate-sdk': 'hosted-dispatch',
  'prom-client': 'hosted-metrics',
  'node:sqlite': 'store',
  pg: 'hosted-store',
}
const SQL =
  /^\s*(select|insert|update|delete|replace|with|create|alter|drop|pragma|begin|commit|rollback|savepoint|vacuum)\b/i

const ALIASES = {
  '#contract/': 'src-runtime/contract/',
  '#hosted/': 'src-hosted/',
  '#runtime/': 'src-runtime/',
  '#sdk/': 'src-sdk/',
}

const roomOf = (path: string): string => {
  const [top = '', second = '', ...rest] = path.split('/')
  if (path === 'src-main/preload/desktop-api.ts') return 'desktop-api'
  if (path === 'src-renderer/ui/hidden-characters.ts') return 'hidden-characters'
  if (path.startsWith('src-sdk/testing/')) return 'sdk-testing'
  if (top === 'src-renderer') return pageRoomOf(second, rest)
  if (top === 'src-hosted') return `hosted-${second.replace(/\.ts$/, '')}`
  if (top !== 'src-runtime') return top
  // create-runtime loads start-runtime later.
  return second === 'start-runtime.ts' ? 'create-runtime' : second.replace(/\.ts$/, '')
}

/** main.tsx only mounts `app`. */
const pageRoomOf = (second: string, rest: readonly string[]): string => {
  if (second === 'features') return 'page-feature'
  if (rest.length > 0) return `page-${second}`
  return second === 'main.tsx' ? 'page-app' : 'page-leaf'
}

/** The feature that a module belongs to. */
const featureOf = (path: string): string | undefined => /^src-renderer\/features\/([^/]+)\//.exec(path)?.[1]

/** The file of this repository that a specifier names, or undefined for a package or a built-in. */
const resolve = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  if (/^workflow-execution-service(\/|$)/.test(specifier)) return 'src-sdk/index.ts'
  const alias = Object.entries(ALIASES).find(([prefix]) => specifier.startsWith(prefix))
  return alias && alias[1] + specifier.slice(alias[0].length)
}

/** The violations of a module, as `path:line: message`. Tests may import any room. */
export const violationsOf = (path: string, source: string): readonly string[] => {
  const room = roomOf(path)
  const row = TABLE[room]
  if (row === undefined) return [`${path}:1: the room "${room}" has no row in the table of check-layers`]
  const { program, errors } = parseSync(path, source)
  const found: string[] = errors.map((error) => `${path}:1: does not parse: ${error.message}`)
  const report = (offset: number, message: string) =>
    found.push(`${path}:${source.slice(0, offset).split('\n').length}: ${message}`)

  const checkImport = (offset: number, specifier: string, typeOnly: boolean) => {
    const target = resolve(path, specifier)
    const other = target === undefined ? undefined : roomOf(target)
    const only = ONLY_IN[specifier]
    if (/\.(json|css)$/.test(specifier)) return // data
    if (only !== undefined && only !== room) return report(offset, `only ${only} may import ${specifier}`)
    if (room === 'page-feature' && other === room && featureOf(target!) !== featureOf(path)) {
      return report(offset, `features never import each other (${specifier}): let app compose them`)
    }
    if (other === room) return
    if (other === undefined) {
      const banned = row.without === 'packages' || (row.without === 'node' && specifier.startsWith('node:'))
      if (banned) report(offset, `${room} may not import ${specifier}`)
      return
    }
    if (row.uses.includes(other) || (typeOnly && row.types?.includes(other))) return
    report(offset, `${room} may not import ${row.types?.includes(other) ? 'values of ' : ''}${other} (${specifier})`)
  }

  const literal = (node: { type: string; value?: unknown }) => (typeof node.value === 'string' ? node.value : undefined)
  new Visitor({
    ImportDeclaration: (node) =>
      checkImport(
        node.start,
        node.source.value,
        node.importKind === 'type' ||
          (node.specifiers.length > 0 &&
            node.specifiers.every((one) => one.type === 'ImportSpecifier' && one.importKind === 'type')),
      ),
    ExportNamedDeclaration: (node) =>
      node.source && checkImport(node.start, node.source.value, node.exportKind === 'type'),
    ExportAllDeclaration: (node) => checkImport(node.start, node.source.value, node.exportKind === 'type'),
    ImportExpression: (node) => {
      const specifier = literal(node.source)
      if (specifier !== undefined) return checkImport(node.start, specifier, false)
      if (!row.loadsCode) report(node.start, 'import() of something that is only known at run time')
    },
    TSImportType: (node) => checkImport(node.start, node.source.value, true),
    CallExpression: (node) => {
      if (node.callee.type !== 'MemberExpression' || node.callee.property.type !== 'Identifier') return
      if (!['prepare', 'exec', 'pragma'].includes(node.callee.property.name) || room === 'store') return
      const [text] = node.arguments
      const sql = text?.type === 'TemplateLiteral' ? text.quasis[0]?.value.raw : text && literal(text)
      if (sql !== undefined && SQL.test(sql)) report(node.start, `${room} may not contain SQL; only store may`)
    },
  }).visit(program)
  return found
}

if (import.meta.main) {
  const files = globSync('src-*/**/*.{ts,tsx}', {
    exclude: ['**/dist/**', '**/node_modules/**', '**/*.test.ts', '**/*.test-support.ts'],
  })
  const found = files.flatMap((path) => violationsOf(path.replaceAll('\\', '/'), readFileSync(path, 'utf8')))
  for (const violation of found) console.error(violation)
  console.log(`layers: ${files.length} modules, ${found.length} violations`)
  if (files.length === 0) console.error('layers: no module was found, so nothing was checked')
  process.exitCode = found.length > 0 || files.length === 0 ? 1 : 0
}

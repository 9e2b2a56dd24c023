// Transforms `*.effects.ts` modules in tests as the compiler does for Programs: calls schedule effects.

/** The part of an ES module's syntax tree that contains exports. */
type Statement = {
  readonly type: string
  readonly source?: { readonly value: string } | null
  readonly exported?: Name | null
  readonly specifiers?: readonly { readonly exported: Name }[]
  readonly declaration?: {
    readonly id?: Pattern | null
    readonly declarations?: readonly { readonly id: Pattern }[]
  } | null
}
type Name = { readonly name?: string; readonly value?: string }
type Pattern = {
  readonly type: string
  readonly name?: string
  readonly properties?: readonly { readonly value?: Pattern; readonly argument?: Pattern }[]
  readonly elements?: readonly (Pattern | null)[]
  readonly argument?: Pattern
  readonly left?: Pattern
}

export type EffectsPlugin = {
  readonly name: string
  readonly enforce: 'post'
  transform(this: { parse(code: string): unknown }, code: string, id: string): string | undefined
}

const EFFECTS_MODULE = /\.effects\.[cm]?[jt]sx?$/
const REAL = 'wes-real'
const TESTING = 'workflow-execution-service/testing'

/**
 * The plugin for a project's vitest.config.ts. Effects that a Program under test calls are scheduled, and the test's
 * fakes replace them.
 */
export const wes = (): EffectsPlugin => ({
  name: 'workflow-execution-service:effects-in-tests',
  enforce: 'post',
  transform(code, id) {
    const [path = '', query = ''] = id.split('?', 2)
    if (!EFFECTS_MODULE.test(path) || query.includes(REAL)) return undefined
    const real = JSON.stringify(`${path}?${REAL}`)
    const { body } = this.parse(code) as { readonly body: readonly Statement[] }
    return [
      `import { asEffects } from ${JSON.stringify(TESTING)}`,
      `import * as real from ${real}`,
      `export * from ${real}`,
      `const effects = asEffects(real)`,
      ...exportedNames(body, path).map((name, index) => {
        const quoted = JSON.stringify(name)
        return `const own${index} = effects[${quoted}]; export { own${index} as ${quoted} }`
      }),
    ].join('\n')
  },
})

const exportedNames = (body: readonly Statement[], path: string): readonly string[] =>
  body.flatMap((statement) => {
    switch (statement.type) {
      case 'ExportDefaultDeclaration':
        return ['default']
      case 'ExportNamedDeclaration':
        return [
          ...(statement.specifiers ?? []).map(({ exported }) => nameOf(exported)),
          ...declaredNames(statement.declaration),
        ]
      case 'ExportAllDeclaration':
        if (statement.exported) return [nameOf(statement.exported)]
        // Another effect module is transformed itself. The exports of any other module are unknown here.
        if (EFFECTS_MODULE.test(withEnding(statement.source?.value ?? ''))) return []
        throw new Error(
          `${path}: export * from ${JSON.stringify(statement.source?.value)}: in tests, effects are exported by name`,
        )
      default:
        return []
    }
  })

const withEnding = (specifier: string): string => (specifier.endsWith('.effects') ? `${specifier}.ts` : specifier)

const nameOf = ({ name, value }: Name): string => name ?? value ?? ''

const declaredNames = (declaration: Statement['declaration']): readonly string[] => [
  ...patternNames(declaration?.id),
  ...(declaration?.declarations ?? []).flatMap(({ id }) => patternNames(id)),
]

const patternNames = (pattern: Pattern | null | undefined): readonly string[] => {
  if (pattern === null || pattern === undefined) return []
  if (pattern.name !== undefined) return [pattern.name]
  const inner = [
    ...(pattern.properties ?? []).map(({ value, argument }) => value ?? argument),
    ...(pattern.elements ?? []),
    pattern.argument,
    pattern.left,
  ]
  return inner.flatMap(patternNames)
}

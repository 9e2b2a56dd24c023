import { expect, it } from 'vitest'
import { createMend } from './edit-script.ts'
import { searchParts, type Search } from './script-parts.ts'

const bundleOf = (modules: string): string =>
  `(() => { "use strict"; let wesProgram;\n(() => {\n${modules}})();\nreturn wesProgram })()\n`

/** Finds the debugger statements of a bundle of one.ts and two.ts. */
const debuggersIn = (code: string) => {
  const searched: string[] = []
  const search: Search<number> = {
    mayHold: (part) => part.includes('debugger'),
    search: (part, { body }) => {
      searched.push(part)
      return body.filter(({ type }) => type === 'DebuggerStatement').map(({ start }) => start)
    },
    moved: (found, start) => found + start,
  }
  return { found: searchParts(code, new Set(['one.ts', 'two.ts']), search), searched }
}

it('parses only modules that may hold what is searched for, and finds it at its place in the bundle', () => {
  const code = bundleOf('  var helper = 1;\n\n  // one.ts\n  helper();\n\n  // two.ts\n  debugger;\n')
  expect(debuggersIn(code)).toEqual({ found: [code.indexOf('debugger')], searched: ['  // two.ts\n  debugger;\n'] })
})

it('takes no other line of a text for the beginning of a module', () => {
  const code = bundleOf('  // one.ts\n  a = `\n  // a\n  f();\n`;\n  debugger;\n  b = `\n  // b\n  g();\n`;\n')
  expect(debuggersIn(code).found).toEqual([code.indexOf('debugger')])
})

it('parses the whole bundle where a text has a line like the beginning of one of its modules', () => {
  const code = bundleOf('  // one.ts\n  debugger;\n  var text = `debugger\n  // two.ts\n  debugger;`;\n')
  expect(debuggersIn(code).searched.at(-1)).toBe(code)
})

it('parses other code as a whole', () => {
  expect(debuggersIn('let a;\ndebugger')).toEqual({ found: [7], searched: ['let a;\ndebugger'] })
})

it('looks for what a mend changes once in a large module that many bundles contain', () => {
  const looked: string[] = []
  const mend = createMend(
    (part) => looked.push(part) > 0 && part.includes('debugger'),
    (_, { body }) => body.filter(({ type }) => type === 'DebuggerStatement').map((node) => ({ ...node, text: ';' })),
  )
  const shared = `  // one.ts\n  debugger;\n${'  f();\n'.repeat(10_000)}`
  const map = { version: 3, sources: [], names: [], mappings: '' } as const
  const mended = ['a', 'b'].map(
    (own) =>
      mend({ code: bundleOf(`${shared}  // two.ts\n  ${own}();\n`), map, used: new Set(['one.ts', 'two.ts']) }).code,
  )
  expect(looked.filter((part) => part === shared)).toHaveLength(1)
  expect(mended).toEqual(
    ['a', 'b'].map((own) => bundleOf(`${shared.replace('debugger;', ';')}  // two.ts\n  ${own}();\n`)),
  )
})

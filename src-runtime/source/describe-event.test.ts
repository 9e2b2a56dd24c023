import { describe, expect, it } from 'vitest'
import { coloured, describeEvent } from './describe-event.ts'
import { sourceError } from './source-error.ts'

const program = { programId: 'order', path: 'programs/order.ts', versionNumber: 3 }
const source = "import { a } from './a.ts'\n\nexport default 1 +\n"

describe('an event of the project, in the terminal', () => {
  it('is a line with the change and the Program', () => {
    expect(describeEvent({ kind: 'discovered', ...program, isNew: true })).toBe(
      'new order version 3 programs/order.ts\n',
    )
    expect(describeEvent({ kind: 'discovered', ...program, isNew: false })).toBe(
      'found order version 3 programs/order.ts\n',
    )
    expect(describeEvent({ kind: 'changed', ...program, tookMs: 61.4 })).toBe(
      'changed order version 3 programs/order.ts in 61 ms\n',
    )
    expect(describeEvent({ kind: 'unchanged', ...program, wasFailing: true })).toBe(
      'fixed order version 3 programs/order.ts\n',
    )
    expect(describeEvent({ kind: 'deleted', programId: 'order', path: 'programs/order.ts' })).toBe(
      'deleted order programs/order.ts: its Executions continue, new ones cannot start from this file\n',
    )
    expect(describeEvent({ kind: 'fixed', path: 'programs/parts.ts' })).toBe('fixed programs/parts.ts\n')
    expect(describeEvent({ kind: 'warning', message: 'take care' })).toBe('warning take care\n')
    expect(describeEvent({ kind: 'slow', folder: '/shop' })).toBe(
      'reading /shop takes long, as with a large package: what has changed is deployed afterwards\n',
    )
    expect(describeEvent({ kind: 'folder', folder: '/shop', isMissing: true })).toBe(
      'missing /shop does not exist: its Programs are read again once it is back\n',
    )
    expect(describeEvent({ kind: 'folder', folder: '/shop', isMissing: false })).toBe('found /shop again\n')
  })

  it('is empty if nothing changed', () => {
    expect(describeEvent({ kind: 'unchanged', ...program, wasFailing: false })).toBe('')
  })

  it('counts Programs at the start, and says where they are expected if there are none', () => {
    const expectedIn = ['flows/**/*.ts', '!flows/old/**']
    const ready = { kind: 'ready', folder: '/shop', programs: 12, expectedIn, failed: 0, tookMs: 300 } as const
    expect(describeEvent(ready)).toBe('12 Programs in /shop in 300 ms\n')
    expect(describeEvent({ ...ready, programs: 1, failed: 2 })).toBe(
      '1 Program, 2 files with errors in /shop in 300 ms\n',
    )
    expect(describeEvent({ ...ready, programs: 0 })).toBe(
      'no Programs in /shop (expected in flows/**/*.ts, !flows/old/**) in 300 ms\n',
    )
  })

  it('cuts source lines to the width of the terminal, around the place of an error', () => {
    const line = 'const value = '.padEnd(70, 'x')
    const shown = (column: number) =>
      describeEvent(
        {
          kind: 'failed',
          path: 'a.ts',
          errors: [sourceError({ path: 'a.ts', line: 2, column }, 'wrong', `first\n${line};\n`, 3)],
        },
        undefined,
        40,
      )
    expect(shown(7)).toBe(`error a.ts:2:7 wrong
  1 | first
> 2 | const value = xxxxxxxxxxxxxxxxxxxx
    |       ^^^
  3 |

`)
    expect(shown(69)).toBe(`error a.ts:2:69 wrong
  1 |${' '}
> 2 | xxxxxxxxxxxxxxxxxxx;
    |                  ^^^
  3 |

`)
  })

  it('shows the source lines of an error', () => {
    const errors = [sourceError({ path: 'programs/a.ts', line: 3, column: 18 }, 'Unexpected end of file', source)]
    expect(describeEvent({ kind: 'failed', path: 'programs/a.ts', errors }))
      .toBe(`error programs/a.ts:3:18 Unexpected end of file
  1 | import { a } from './a.ts'
  2 |
> 3 | export default 1 +
    |                  ^
  4 |

`)
  })

  it('may have colours', () => {
    expect(describeEvent({ kind: 'changed', ...program, tookMs: 61 }, coloured)).toBe(
      '\u001b[32mchanged\u001b[0m order version 3 \u001b[2mprograms/order.ts\u001b[0m \u001b[2min 61 ms\u001b[0m\n',
    )
    const errors = [sourceError({ path: 'a.ts', line: 1, column: 8 }, 'wrong', "import 'x'", 3)]
    expect(describeEvent({ kind: 'failed', path: 'a.ts', errors }, coloured)).toBe(
      "\u001b[31merror\u001b[0m a.ts:1:8 wrong\n> 1 | import 'x'\n\u001b[31m    |        ^^^\u001b[0m\n\n",
    )
  })

  it('contains no control characters', () => {
    const text = describeEvent({ kind: 'warning', message: 'a\u001b[2Jb\u202ec' })
    expect(text).toBe('warning a\\u001b[2Jb\\u202ec\n')
  })
})

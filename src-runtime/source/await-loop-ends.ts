// When the body of a `for await` loop throws, the sandbox's engine closes the iterator without waiting until that has ended: a
// generator's `finally` would run beside the caller's `catch`, or be cut off when the Program ends. After `break` it
// waits. So a body that throws leaves its loop by `break`, and its error is thrown behind the loop.

import { parseSync } from 'oxc-parser'
import { walk, type Range } from './module-facts.ts'
import { placeOf } from './source-error.ts'
import { insertColumns, type RawSourceMap } from './source-map.ts'

type Script = { readonly code: string; readonly map: RawSourceMap }

const AROUND_LOOP = ['{ let wesThrown; try { ', ' } finally { if (wesThrown) throw wesThrown[0]; } }'] as const
const AROUND_BODY = ['{ try { ', ' } catch (wesError) { wesThrown = [wesError]; break; } }'] as const

type Inserted = { readonly offset: number; readonly text: string }

export const awaitLoopEnds = ({ code, map }: Script): Script => {
  if (!/\bfor await\b/.test(code)) return { code, map }
  const inserted = insertionsIn(code)
  let changed = ''
  let at = 0
  for (const { offset, text } of inserted) {
    changed += code.slice(at, offset) + text
    at = offset
  }
  const shifts = inserted.map(({ offset, text }) => ({ ...placeOf('', code, offset), length: text.length }))
  return { code: changed + code.slice(at), map: insertColumns(map, shifts) }
}

const insertionsIn = (code: string): readonly Inserted[] => {
  const begins: Inserted[] = []
  const ends: Inserted[] = []
  const put = ({ start, end }: Range, [before, after]: readonly [string, string]): void => {
    begins.push({ offset: start, text: before })
    ends.unshift({ offset: end, text: after })
  }
  /** The outermost label of a statement. */
  const labels = new Map<Range, Range>()
  walk(parseSync('program.js', code, { sourceType: 'script' }).program, (node) => {
    if (node.type === 'LabeledStatement') labels.set(node.body, labels.get(node) ?? node)
    if (node.type !== 'ForOfStatement' || !node.await) return
    put(labels.get(node) ?? node, AROUND_LOOP)
    put(node.body, AROUND_BODY)
  })
  return [...ends, ...begins].toSorted((a, b) => a.offset - b.offset)
}

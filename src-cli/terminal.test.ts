import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { processTerminal, quietBrokenPipes } from './terminal.ts'

type Stream = Parameters<typeof processTerminal>[0]

/** A stream that may be a terminal; with `full`, `write` returns false. */
const stream = (members: { readonly isTTY?: boolean; readonly columns?: number; readonly full?: boolean } = {}) => {
  const written: string[] = []
  const emitter = new EventEmitter()
  const write = (text: string): boolean => {
    written.push(text)
    return members.full !== true
  }
  return { written, stream: Object.assign(emitter, { isTTY: false, ...members, write }) as unknown as Stream }
}

describe('the terminal', () => {
  it.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', { isTTY: false }, {}, false],
    ['NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['a terminal that is dumb', { isTTY: true }, { TERM: 'dumb' }, false],
  ])('is coloured as it should be with %s', (_what, members, env, expected) => {
    const { outColour, errColour } = processTerminal(stream(members).stream, stream(members).stream, env)
    expect([outColour, errColour]).toEqual([expected, expected])
  })

  it('has columns only if the stream is a terminal', () => {
    const columnsOf = (members: { readonly isTTY: boolean; readonly columns?: number }) =>
      processTerminal(stream(members).stream, stream().stream, {}).columns
    expect(columnsOf({ isTTY: true, columns: 100 })).toBe(100)
    expect(columnsOf({ isTTY: true, columns: 0 })).toBe(80)
    expect(columnsOf({ isTTY: false })).toBeUndefined()
  })

  it('makes the writer wait while the stream is full', async () => {
    const { stream: full, written } = stream({ full: true })
    const terminal = processTerminal(full, stream().stream, {})
    let settled = false
    const writing = terminal.out('x').then(() => (settled = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect({ written, settled }).toEqual({ written: ['x'], settled: false })
    full.emit('drain')
    await writing
    expect(settled).toBe(true)
  })

  it('ignores only the error of a closed pipe', () => {
    const { stream: out } = stream()
    let broken = 0
    quietBrokenPipes([out], () => (broken += 1))
    out.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    expect(broken).toBe(1)
    expect(() => out.emit('error', new Error('disk full'))).toThrow('disk full')
  })
})

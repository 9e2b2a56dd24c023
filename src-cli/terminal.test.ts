import { spawn, spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { paint } from './colour.ts'
import { endUnwritten, processTerminal } from './terminal.ts'
import { MAIN } from './wes.test-support.ts'

type Stream = Parameters<typeof processTerminal>[0]

/** A stream that may be a terminal. Nothing is written before `settle`. */
const stream = (members: { readonly isTTY?: boolean; readonly columns?: number } = {}) => {
  const written: string[] = []
  const emitter = new EventEmitter()
  let settle = (_error?: Error): void => {}
  const write = (text: string, onWritten: (error?: Error) => void = () => {}): boolean => {
    written.push(text)
    settle = onWritten
    return true
  }
  const made = Object.assign(emitter, { isTTY: false, ...members, write }) as unknown as Stream
  return { written, stream: made, settle: (error?: Error) => settle(error) }
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
    const terminal = processTerminal(stream().stream, stream({ isTTY: true, columns: 60 }).stream, {})
    expect([terminal.columns, terminal.errColumns]).toEqual([undefined, 60])
  })

  it('gets nothing that could control it but colours, in JSON that stays the same; a pipe gets the text as it is', () => {
    const hostile = { a: 'x\u009b2J\u009d52;c;eA==\u009c\u202e\u007fé👩‍👩‍👧', b: '\u001b[2J' }
    const json = JSON.stringify(hostile)
    const [terminal, pipe] = [stream({ isTTY: true }), stream()]
    const both = processTerminal(terminal.stream, terminal.stream, {})
    void both.out(json)
    both.err(`${paint('red', 'red')}\u001b]0;title\u0007\u001b[2Jid\r\n\t`)
    void processTerminal(pipe.stream, pipe.stream, {}).out(json)
    expect(terminal.written[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
    expect(JSON.parse(terminal.written[0]!)).toEqual(hostile)
    expect(terminal.written[1]).toBe('\u001b[31mred\u001b[0m\\u001b]0;title\\u0007\\u001b[2Jid\\u000d\n\t')
    expect(pipe.written).toEqual([json])
  })

  it.each([undefined, new Error('the disk is full')])(
    'makes the writer wait until the text is written, or not: %s',
    async (error) => {
      const { stream: slow, written, settle } = stream()
      const terminal = processTerminal(slow, stream().stream, {})
      let settled = false
      const writing = terminal.out('x').then(() => (settled = true))
      await new Promise((resolve) => setImmediate(resolve))
      expect({ written, settled }).toEqual({ written: ['x'], settled: false })
      settle(error)
      await writing
      expect(settled).toBe(true)
    },
  )

  it.skipIf(!existsSync('/dev/full'))('is one line when the disk is full', () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const run = (...args: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      })
      return { status, stderr }
    }
    const message = 'the output cannot be written: no space is left on the disk'
    expect(run('--version')).toEqual({ status: 1, stderr: `wes: ${message}\n` })
  })

  it('ends a command whose output cannot be written, with an error unless its reader has gone', () => {
    const { stream: err, written } = stream()
    const codes: (number | undefined)[] = []
    const onUnwritten = endUnwritten(err, (code) => codes.push(code))
    onUnwritten(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    expect({ codes, written }).toEqual({ codes: [undefined], written: [] })
    onUnwritten(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }))
    expect(codes).toEqual([undefined, 1])
    expect(written).toEqual(['wes: the output cannot be written: no space is left on the disk\n'])
  })
})

it.skipIf(process.platform === 'win32')('nothing waits for a reader of the output', async () => {
  const code = `
    import { spawnSync } from 'node:child_process'
    import { neverWaitForReader } from '${new URL('terminal.ts', import.meta.url).href}'
    neverWaitForReader(process.stdout)
    spawnSync('true', { stdio: 'inherit' })
    for (let count = 0; count < 30; count += 1) process.stdout.write('x'.repeat(100_000))
    await new Promise((resolve) => process.stdout.write('dropped', resolve))
    process.send(process.stdout.writableLength)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [unread] = (await once(child, 'message')) as [number]
  expect(unread).toBeGreaterThan(900_000)
  expect(unread).toBeLessThan(1_200_000)
})

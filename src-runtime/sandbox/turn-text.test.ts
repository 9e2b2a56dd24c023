import { describe, expect, test } from 'vitest'
import type { Command } from '../engine/turn.ts'
import { processorMs } from '../shared/processor-time.test-support.ts'
import { checkTurn } from './check-turn.ts'
import { compareReplay } from './replay-check.ts'
import { createStackMapper } from './stack-trace.ts'
import { commandLines, commandsText, commandText, MalformedTurn, readTurn } from './turn-text.ts'

const COMMANDS: readonly Command[] = [
  {
    kind: 'effect',
    command: 1,
    name: 'a "quoted"\nname',
    options: { retry: { maxAttempts: 2 }, timeoutMs: 5 },
    data: '{"input":[1,"x\\ny"],"retry":{"maxAttempts":2},"timeoutMs":5}',
  },
  { kind: 'timer', command: 2, dueAt: -5, data: '{"wakeAt":"1969-12-31T23:59:59.995Z"}' },
  { kind: 'wait', command: 3, name: 'w', data: '{}' },
  { kind: 'wait', command: 10_000, name: '€', dueAt: 8.64e15, data: '{"timeoutAt":"+275760-09-13T00:00:00.000Z"}' },
]

describe('the text of a turn', () => {
  test('is read as it was written', () => {
    expect(readTurn(COMMANDS.map(commandLines).join(''))).toEqual({
      operations: COMMANDS,
      outcome: { kind: 'suspended' },
    })
  })

  test('may be empty, or contain logs and an end', () => {
    expect(readTurn('')).toEqual({ operations: [], outcome: { kind: 'suspended' } })
    expect(readTurn('l{"level":"info","message":"m"}\nc{"result":5}\n')).toEqual({
      operations: [{ kind: 'log', data: '{"level":"info","message":"m"}' }],
      outcome: { kind: 'completed', data: '{"result":5}' },
    })
    expect(readTurn('f{"code":"program_error","name":"E","message":"m","stack":""}\n').outcome).toEqual({
      kind: 'failed',
      error: { code: 'program_error', name: 'E', message: 'm' },
    })
  })

  test.each([
    ['x1\n'],
    ['e1 "a"\n'],
    ['e1 "a"\n{}\n'],
    ['e1\n{}\n{}\n'],
    ['e1 "a\n{}\n{}\n'],
    ['e1 5 "a"\n{}\n{}\n'],
    ['e1 "a"\n{}\nnot json\n'],
    ['t1\n'],
    ['t1 -\n'],
    ['t1 99999999999999999\n'],
    ['t1 8640000000000001\n'],
    ['t1 5 "name"\n'],
    ['w1 5\n'],
    ['w123456 - "a"\n'],
    ['c{}\nt1 5\n'],
    ['f{"code":"made_up","message":"m"}\n'],
    ['f{"message":"m"}\n'],
    ['fnonsense\n'],
    ['t1 5'],
    ['\n'],
  ])('%j is malformed', (text) => {
    expect(() => readTurn(text)).toThrow(MalformedTurn)
  })
})

describe('checking a turn', () => {
  const stacks = createStackMapper('')
  test.each([
    ['e1 "a"\n{"input":\n{}\n'],
    ['lnot json\n'],
    ['cnot json\n'],
    [`e1 "a"\n{"input":"${'x'.repeat(1_100_000)}"}\n{}\n`],
  ])('refuses a payload that is not what it should be: %.40j', (text) => {
    expect(() => checkTurn(text, stacks)).toThrow(MalformedTurn)
  })

  test('does not parse a result that is too large, because that may take more memory than the host has', () => {
    const { text } = checkTurn(`c{"result":${'[{},'.repeat(300_000)}\n`, stacks)
    expect(readTurn(text).outcome).toMatchObject({ kind: 'failed', error: { code: 'result_too_large' } })
  })

  test('maps a thousand logs of a large turn in a moment', () => {
    const effects = `e1 "a"\n{"input":"${'x'.repeat(1_000_000)}"}\n{}\n`.repeat(8)
    const logs = (frames: string) =>
      Array.from({ length: 1000 }, (_, index) => `l{"level":"error","message":"${index}${frames}"}\n`).join('')
    const before = processorMs()
    const { text } = checkTurn(effects + logs('\\n    at f (wes:runtime:1:1)'), stacks)
    expect(text).toBe(effects + logs(''))
    expect(processorMs() - before).toBeLessThan(5000)
  })
})

describe('comparing a replay', () => {
  const found = COMMANDS.map(commandLines).join('')
  test('finds no difference between equal turns, and ignores logs', () => {
    expect(compareReplay(found, commandsText(COMMANDS))).toBeUndefined()
    expect(compareReplay(`l{}\n${found}l{}\n`, commandsText(COMMANDS))).toBeUndefined()
    expect(compareReplay('', '')).toBeUndefined()
  })

  test.each(COMMANDS.map((_, index) => index))('finds that command %i is missing', (index) => {
    const expected = commandsText(COMMANDS.filter((_command, at) => at !== index))
    expect(compareReplay(found, expected)).toMatchObject({ index, command: COMMANDS[index]?.command })
  })

  test('treats an end as a difference, because the journal continues', () => {
    expect(compareReplay('c{}\n', '')).toEqual({ index: 0, found: '', command: 0, ended: 'the Program returned' })
  })

  test('ignores the option lines of commands, because the data contains the options', () => {
    const [effect] = COMMANDS
    if (effect?.kind !== 'effect') throw new Error('not an effect')
    expect(commandText({ ...effect, options: {} })).toBe(commandText(effect))
  })
})

// Each attack runs in real hosts, beside an Execution that must not be affected.

import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import type { TurnOutput } from '../engine/turn.ts'
import { createPoolRig, type PooledExecution } from './pool-rig.test-support.ts'
import { commandsOf, errorOf, logsOf, resultOf } from './runner-rig.test-support.ts'

const DIRECTORY = new URL('./attacks/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(`${name}.js`, DIRECTORY), 'utf8')

type Attack = (attacker: PooledExecution) => Promise<void>

const failsWith =
  (...codes: string[]): Attack =>
  async (attacker) => {
    expect(codes).toContain(errorOf(await attacker.start()).code)
  }

const returns =
  (result: unknown): Attack =>
  async (attacker) => {
    expect(resultOf(await attacker.start())).toEqual(result)
  }

/** Its first turn calls an effect, and it continues with the effect's result. */
const afterEffect = async (attacker: PooledExecution, result?: unknown): Promise<TurnOutput> => {
  expect(commandsOf(await attacker.start())).toMatchObject([{ kind: 'effect', command: 1 }])
  return attacker.effectResult(1, result)
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  'allocate-array-buffers': failsWith('program_out_of_memory'),
  'fill-array-buffers': failsWith('program_out_of_memory'),
  'allocate-arrays': failsWith('program_out_of_memory'),
  // Which bound it meets first depends on how busy the machine is.
  'allocate-sparse-arrays': failsWith('program_out_of_memory', 'program_timeout'),
  'exhaust-and-catch': failsWith('program_out_of_memory'),
  'grow-bigint': failsWith('program_error', 'program_out_of_memory', 'program_timeout'),
  'long-bigint': failsWith('program_timeout', 'program_error', 'program_out_of_memory'),
  'huge-effect-input': returns(['EffectError', 'result_too_large']),
  'catch-interrupt': failsWith('program_timeout'),
  'executor-interrupt': failsWith('program_timeout'),
  'patch-builtins': async (attacker) => {
    const first = await attacker.start()
    expect(commandsOf(first)).toEqual([
      {
        kind: 'effect',
        command: 1,
        name: 'first',
        options: { timeoutMs: 5000 },
        data: '{"input":{"a":[1,"x"]},"timeoutMs":5000}',
      },
    ])
    expect(commandsOf(await attacker.effectResult(1, 'value'))).toMatchObject([{ kind: 'timer', command: 2 }])
    const last = await attacker.timer(2)
    expect(logsOf(last)).toEqual([{ level: 'info', message: 'logged { a: 1 }' }])
    expect(resultOf(last)).toBe('value')
  },
  'patch-indexes': async (attacker) => {
    const first = await attacker.start()
    if (first.outcome.kind !== 'suspended') expect(errorOf(first).code).toMatch(/^program_/)
    else expect(commandsOf(first).at(-1)?.kind).toMatch(/timer|effect/)
  },
  'patch-then': async (attacker) => expect(resultOf(await afterEffect(attacker, 5))).toEqual([5, true]),
  'patch-tojson': async (attacker) => {
    const first = await attacker.start()
    expect(commandsOf(first).map(({ kind, data }) => [kind, data])).toEqual([
      ['effect', '{"input":{"forged":true}}'],
      ['timer', expect.stringMatching(/^\{"wakeAt":"2026-/)],
      ['wait', expect.stringMatching(/^\{"timeoutAt":"2026-/)],
    ])
    expect(resultOf(await attacker.effectResult(1))).toBe('done')
  },
  pollute: returns('polluted'),
  'flood-commands': failsWith('history_limit_exceeded'),
  'flood-logs': async (attacker) => {
    const output = await attacker.start()
    if (output.outcome.kind === 'failed') expect(output.outcome.error.code).toBe('program_timeout')
    else expect(logsOf(output).at(-1)?.message).toMatch(/more log entries/)
  },
  loop: failsWith('program_timeout'),
  'swallow-interrupt': failsWith('program_timeout', 'program_out_of_memory'),
  'microtask-loop': failsWith('program_timeout'),
  'loop-at-load': failsWith('program_timeout'),
  'loop-after-return': returns('returned'),
  'getter-loop-in-result': failsWith('program_timeout'),
  'throw-loop': failsWith('program_timeout'),
  'native-index': failsWith('program_timeout'),
  'native-search': failsWith('program_timeout'),
  'native-sort': failsWith('program_timeout', 'program_out_of_memory'),
  regexp: failsWith('program_timeout'),
  recurse: returns([expect.stringMatching(/Error$/), true]),
  'recurse-native': async (attacker) => {
    const output = await attacker.start()
    if (output.outcome.kind === 'completed') {
      for (const [name, ended] of Object.entries(resultOf(output) as Record<string, string>)) {
        expect([name, ended]).toEqual([name, expect.stringMatching(/^fine$|Error$/)])
      }
    } else expect(['program_error', 'program_out_of_memory', 'program_timeout']).toContain(errorOf(output).code)
  },
  reject: async (attacker) => {
    const first = await attacker.start()
    expect(logsOf(first).map(({ level }) => level)).toEqual(['error', 'error', 'error', 'error'])
    expect(resultOf(await attacker.effectResult(1))).toBe('undefined')
  },
  'double-string': returns(expect.stringMatching(/Error$/)),
  'throw-proxy': async (attacker) => {
    expect(errorOf(await afterEffect(attacker))).toEqual({
      code: 'program_error',
      name: 'Error',
      message: '{}',
    })
  },
  'huge-url': async (attacker) => {
    const { outcome } = await attacker.start()
    if (outcome.kind === 'failed') expect(outcome.error.code).toMatch(/^program_/)
    else expect(outcome.kind).toBe('completed')
  },
  'host-objects': returns({ found: [], walked: true }),
  'arguments-with-hooks': async (attacker) => {
    const kinds = commandsOf(await attacker.start()).map(({ kind, command }) => [kind, command])
    expect(kinds).toEqual([
      ['effect', 1],
      ['effect', 2],
      ['timer', 3],
      ['timer', 4],
      ['effect', 5],
      ['wait', 6],
    ])
    expect(resultOf(await attacker.event(6))).toEqual([])
  },
  'hijack-stack-trace': async (attacker) => {
    await attacker.start()
    expect(resultOf(await attacker.effectFailure(1))).toEqual(['EffectError', 0])
  },
  'tamper-errors': async (attacker) => {
    await attacker.start()
    await attacker.effectFailure(1)
    expect(resultOf(await attacker.effectFailure(2))).toEqual([['name', 'parent', 'member'], 'EffectError', true])
  },
}

const VICTIM = read('victim')
const BYSTANDER = `({ run: async (ctx, input) => input })`

describe('attacks', { timeout: 180_000 }, () => {
  const rig = createPoolRig()
  afterAll(() => rig.hosts.stop())

  test('are all in the table', () => {
    const files = readdirSync(DIRECTORY).map((file) => file.replace('.js', ''))
    expect(files.filter((name) => name !== 'victim').sort()).toEqual(Object.keys(ATTACKS).sort())
  })

  test.each(Object.entries(ATTACKS))('%s', async (name, attack) => {
    const victim = rig.execution(VICTIM)
    await victim.start(name)
    const bystander = rig.execution(BYSTANDER)
    const attacking = attack(rig.execution(read(name)))
    // Handled below; this only avoids an unhandled rejection before that.
    attacking.catch(() => {})
    expect(resultOf(await bystander.start(name))).toBe(name)
    await attacking
    expect(resultOf(await victim.event(1))).toEqual({
      secret: name,
      sorted: [2, 4, 6],
      own: { inherited: 'none', leaked: 'undefined', stolen: 'undefined' },
      json: '{"a":[1]}',
      lastMatch: '',
      time: victim.turns[1]?.delivery.at,
    })
  })
})

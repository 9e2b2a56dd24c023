import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { createCompiler } from '../source/compile.ts'
import { createEffectRig } from './effect-project.test-support.ts'

it('compiled effects run, and fail with lines of their source', async () => {
  const rig = createEffectRig()
  rig.write('node_modules/bank/package.json', '{"name":"bank","main":"./index.js"}')
  rig.write('node_modules/bank/index.js', 'exports.limit = 100')
  rig.write('programs/rates.json', '{"eur":2}')
  rig.write(
    'programs/pay.effects.ts',
    `import { limit } from 'bank'
import { NonRetryableError, defineEffect } from 'workflow-execution-service'
import rates from './rates.json' with { type: 'json' }

export async function charge(input: { cents: number }): Promise<{ eur: number; at: string }> {
  if (input.cents > limit) throw new NonRetryableError('over the limit', { cause: new RangeError(String(limit)) })
  return { eur: input.cents / rates.eur, at: import.meta.url }
}
export const refuse = defineEffect({}, (why: string) => { throw new TypeError(why) })
export const notify = defineEffect({ retry: { maxAttempts: 2 }, timeout: '10s' }, async (to: string, { attempt, log }) => {
  log.info('notifying', to)
  return attempt
})
`,
  )
  rig.write(
    'programs/order.ts',
    `import { defineProgram } from 'workflow-execution-service'
import { charge, notify, refuse } from './pay.effects.ts'
export default defineProgram({ id: 'order' }, async (ctx, input: { cents: number }) => {
  await notify('you')
  if (input.cents < 0) await refuse('no debts')
  return charge(input)
})
`,
  )
  const compiler = createCompiler({ folder: rig.folder })
  const [compiled] = await compiler.compile(['programs/order.ts'])
  compiler.stop()
  expect(compiled!.errors).toEqual([])
  const { artifact } = compiled!.programs[0]!
  rig.deploy('ver_1', artifact.effects!.code, {
    ...(artifact.effects!.sourceMap !== undefined && { sourceMap: artifact.effects!.sourceMap }),
    effects: artifact.manifest.effects!.map(({ name }) => ({ name, options: {} })),
  })
  expect(await rig.result('charge', { cents: 50 })).toEqual({
    eur: 25,
    at: pathToFileURL(join(rig.folder, 'programs/pay.effects.ts')).href,
  })
  const call = rig.call('notify', 'you', { attempt: 2 })
  expect(await call.outcome).toEqual({ kind: 'completed', data: '{"result":2}' })
  expect(call.logs).toEqual([{ level: 'info', message: 'notifying you' }])
  const refused = await rig.failure('charge', { cents: 500 })
  expect(refused).toMatchObject({ retryable: false, error: { name: 'NonRetryableError', message: 'over the limit' } })
  expect(refused.error.stack!.split('\n')).toEqual([
    expect.stringMatching(/over the limit$/),
    '    at charge (programs/pay.effects.ts:6:34)',
  ])
  const { error } = await rig.failure('refuse', 'no debts')
  expect(error.stack!.split('\n')).toEqual([
    'TypeError: no debts',
    expect.stringMatching(/^ {4}at .*programs\/pay\.effects\.ts:9:65\)?$/),
  ])
  expect(refused.error.cause).toEqual({
    name: 'RangeError',
    message: '100',
    stack: 'RangeError: 100\n    at charge (programs/pay.effects.ts:6:83)',
  })
})

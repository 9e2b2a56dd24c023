import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { Fired } from '../store/tenancy.ts'
import type { OwnedWebhook } from './call-webhook.ts'
import { createNoteLatest } from './note-latest.ts'

const hook = (id: string) => ({ trigger: { id } }) as OwnedWebhook
const started = (executionId: string): Fired => ({ executionId })
const refused = (error: string): Fired => ({ error })

const newNotes = () => {
  const written: [id: string, fired: Fired][] = []
  const ends: PromiseWithResolvers<void>[] = []
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) })
  const write = ({ trigger }: OwnedWebhook, fired: Fired): Promise<void> => {
    written.push([trigger.id, fired])
    const end = Promise.withResolvers<void>()
    ends.push(end)
    return end.promise
  }
  const { note, stop } = createNoteLatest(write, log)
  return { note, stop, written, ends, logged }
}

it('writes one note of a Trigger at a time, and of those that come meanwhile the last start and a refusal after it', async () => {
  const { note, written, ends } = newNotes()
  note(hook('a'), started('1'))
  note(hook('b'), started('2'))
  for (const fired of [started('3'), refused('x'), started('4'), refused('y'), refused('z')]) note(hook('a'), fired)
  const first = [
    ['a', started('1')],
    ['b', started('2')],
  ]
  expect(written).toEqual(first)
  ends[0]!.resolve()
  await expect.poll(() => written).toEqual([...first, ['a', started('4')]])
  ends[2]!.resolve()
  await expect.poll(() => written).toEqual([...first, ['a', started('4')], ['a', refused('z')]])
  ends[3]!.resolve()
})

it('goes on after notes that could not be written, and says once that the database is away', async () => {
  const { note, written, ends, logged } = newNotes()
  note(hook('a'), started('1'))
  note(hook('a'), started('2'))
  ends[0]!.reject(new StoreUnavailableError('away'))
  await expect.poll(() => written.length).toBe(2)
  ends[1]!.reject(new StoreUnavailableError('away'))
  await setImmediate()
  expect(logged).toEqual(['a call of a webhook could not be noted'])
  await setImmediate()
  note(hook('a'), started('3'))
  expect(written.length).toBe(3)
})

it('stops when what was noted last is written', async () => {
  const { note, stop, written, ends } = newNotes()
  note(hook('a'), started('1'))
  note(hook('a'), started('2'))
  let isStopped = false
  const stopped = stop().then(() => void (isStopped = true))
  ends[0]!.resolve()
  await expect.poll(() => written.length).toBe(2)
  await setImmediate()
  expect(isStopped).toBe(false)
  ends[1]!.resolve()
  await stopped
  await stop()
})

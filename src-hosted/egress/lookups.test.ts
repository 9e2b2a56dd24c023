import { expect, it } from 'vitest'
import { createLookups } from './lookups.ts'

const PATIENT = { lookups: 2, lookupMs: 600_000 }

/** A name server that answers when it is told to. */
const rig = (most: number, mostOfWorkspace: number) => {
  const underWay = new Map<string, () => void>()
  const begun: string[] = []
  const lookups = createLookups(
    (host) => {
      begun.push(host)
      return new Promise((resolve) => underWay.set(host, () => resolve(['192.0.2.1'])))
    },
    most,
    mostOfWorkspace,
  )
  return {
    lookups,
    answer: (host: string) => underWay.get(host)!(),
    /** Hosts whose lookup has begun by now. */
    begun: async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return begun
    },
  }
}

it('leaves lookups to other workspaces, however many versions one has', async () => {
  const { lookups, begun, answer } = rig(4, 3)
  const [one, two] = [lookups.resolveFor('wsp_busy', PATIENT), lookups.resolveFor('wsp_busy', PATIENT)]
  const busy = [one('a'), one('b'), one('c'), two('d'), two('e')]
  expect(await begun()).toEqual(['a', 'b', 'd'])
  const quiet = lookups.resolveFor('wsp_quiet', PATIENT)('quiet')
  expect(await begun()).toEqual(['a', 'b', 'd', 'quiet'])
  answer('quiet')
  expect(await quiet).toEqual(['192.0.2.1'])
  for (const host of ['a', 'b', 'd', 'e', 'c']) {
    await begun()
    answer(host)
  }
  expect(await Promise.all(busy)).toHaveLength(5)
})

it('lets the next lookup begin when the one before has ended, not when its caller waits no more', async () => {
  const { lookups, begun, answer } = rig(1, 1)
  const late = lookups.resolveFor('wsp_1', { lookups: 2, lookupMs: 10 })
  const [silent, waiting] = [late('silent'), late('waiting')]
  await expect(silent).rejects.toThrow('timeout')
  await expect(waiting).rejects.toThrow('timeout')
  const next = lookups.resolveFor('wsp_1', PATIENT)('next')
  expect(await begun()).toEqual(['silent'])
  answer('silent')
  expect(await begun()).toEqual(['silent', 'next'])
  answer('next')
  expect(await next).toEqual(['192.0.2.1'])
})

it('gives the place of a version back when a caller leaves before its turn in the workspace', async () => {
  const { lookups, begun, answer } = rig(1, 1)
  const other = lookups.resolveFor('wsp_1', PATIENT)('other')
  const ofVersion = lookups.resolveFor('wsp_1', { ...PATIENT, lookups: 1 })
  const caller = new AbortController()
  const left = ofVersion('left', caller.signal)
  expect(await begun()).toEqual(['other'])
  caller.abort()
  await expect(left).rejects.toThrow('aborted')
  const next = ofVersion('next')
  answer('other')
  await other
  expect(await begun()).toEqual(['other', 'next'])
  answer('next')
  expect(await next).toEqual(['192.0.2.1'])
})

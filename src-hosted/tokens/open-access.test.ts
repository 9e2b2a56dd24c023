import type { FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { limitsWith } from '../limits/limits.ts'
import type { AccessStore } from '../store/tenancy.ts'
import { openAccess } from './open-access.ts'
import { newTokenText, secretDigest } from './token-text.ts'

/** Minutes begin in 30 s. */
const NOW = 1_800_000_030_000

const open = () => {
  const logged: string[] = []
  const used: string[] = []
  let isAway = false
  const access: Partial<AccessStore> = {
    findToken: (digest) =>
      Promise.resolve({
        workspaceId: 'wsp_1',
        defaultProjectId: 'prj_1',
        tokenId: `tok_${digest.toString('hex')}`,
        role: 'read',
      }),
    noteUse: (tokenId) => {
      if (isAway) return Promise.reject(new StoreUnavailableError('PostgreSQL cannot be reached'))
      used.push(tokenId)
      return Promise.resolve()
    },
  }
  const opened = openAccess({
    access: access as AccessStore,
    limits: limitsWith({}),
    publicUrl: 'http://localhost:8080',
    clock: systemClock,
    now: () => NOW,
    log: pino({ level: 'warn' }, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) }),
  })
  onTestFinished(() => opened.stop())
  const use = async (token: string): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` }
    await opened.authenticate({
      originalUrl: '/v1/whoami',
      headers,
      raw: { rawHeaders: [] as string[] },
    } as FastifyRequest)
    await new Promise(setImmediate)
    return `tok_${secretDigest(token).toString('hex')}`
  }
  return { use, used, logged, setAway: (away: boolean) => void (isAway = away) }
}

it('notes once a minute that a token is used, and behind its next use what could not be noted', async () => {
  const { use, used, setAway } = open()
  const token = newTokenText()
  setAway(true)
  await use(token)
  setAway(false)
  const id = await use(token)
  await use(token)
  expect(used).toEqual([id])
})

it('says once that the database is away, however many callers it has', async () => {
  const { use, logged, setAway } = open()
  setAway(true)
  for (let callers = 0; callers < 3; callers += 1) await use(newTokenText())
  expect(logged).toEqual(['callers could not be looked up'])
})

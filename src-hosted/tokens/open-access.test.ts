import type { FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { limitsWith } from '../limits/limits.ts'
import type { AccessStore } from '../store/tenancy.ts'
import { openAccess } from './open-access.ts'
import { newTokenText } from './token-text.ts'

/** Minutes begin in 30 s. */
const NOW = 1_800_000_030_000

const open = () => {
  const logged: string[] = []
  const access: Partial<AccessStore> = {
    findToken: (digest) =>
      Promise.resolve({
        workspaceId: 'wsp_1',
        defaultProjectId: 'prj_1',
        tokenId: `tok_${digest.toString('hex')}`,
        role: 'read',
      }),
    noteUse: () => Promise.reject(new StoreUnavailableError('PostgreSQL cannot be reached')),
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
  const use = async (token: string): Promise<void> => {
    const headers = { authorization: `Bearer ${token}` }
    await opened.authenticate({ originalUrl: '/v1/whoami', headers } as FastifyRequest)
    await new Promise(setImmediate)
  }
  return { use, logged }
}

it('says once that the database is away, however many callers it has', async () => {
  const { use, logged } = open()
  for (let callers = 0; callers < 3; callers += 1) await use(newTokenText())
  expect(logged).toEqual(['callers could not be looked up'])
})

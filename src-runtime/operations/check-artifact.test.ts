import { expect, it } from 'vitest'
import { ApiError } from '../contract/errors.ts'
import { artifactFault } from './check-artifact.ts'

const ARTIFACT = { format: 'wes.program/1', id: 'hello', program: { code: '({ run() {} })' } } as const

const faultWith = (faultOf: () => Promise<string | undefined>) =>
  artifactFault({ hosts: { check: () => Promise.resolve({ ok: true }) }, schemas: { faultOf } }, ARTIFACT, '{}')

it('has a fault if its schemas have one, and none if they cannot be checked now', async () => {
  expect(await faultWith(() => Promise.resolve('manifest/inputSchema is wrong'))).toBe('manifest/inputSchema is wrong')
  for (const code of ['rate_limited', 'unavailable'] as const) {
    const later = new ApiError(code, 'later')
    await expect(faultWith(() => Promise.reject(later))).rejects.toBe(later)
  }
})

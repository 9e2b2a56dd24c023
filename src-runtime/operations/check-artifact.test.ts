import { expect, it } from 'vitest'
import { ApiError } from '../contract/errors.ts'
import type { Manifest } from '../contract/models.ts'
import { artifactFault } from './check-artifact.ts'

const ARTIFACT = { format: 'wes.program/1', id: 'hello', program: { code: '({ run() {} })' } } as const

const faultWith = (faultOf: () => Promise<string | undefined>, manifest: Manifest = {}) =>
  artifactFault(
    { hosts: { check: () => Promise.resolve({ ok: true }) }, schemas: { faultOf } },
    { ...ARTIFACT, manifest },
    '{}',
  )

it('has a fault if its schemas have one, and none if they cannot be checked now', async () => {
  expect(await faultWith(() => Promise.resolve('manifest/inputSchema is wrong'))).toBe('manifest/inputSchema is wrong')
  for (const code of ['rate_limited', 'unavailable'] as const) {
    const later = new ApiError(code, 'later')
    await expect(faultWith(() => Promise.reject(later))).rejects.toBe(later)
  }
})

it.each(['events', 'effects'] as const)('has a fault if it lists one of its %s twice', async (list) => {
  const manifest = { [list]: [{ name: 'paid' }, { name: 'sent' }, { name: 'paid' }] }
  const fault = `manifest/${list}/2/name: "paid" is listed twice`
  expect(await faultWith(() => Promise.resolve(undefined), manifest)).toBe(fault)
})

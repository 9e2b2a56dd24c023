import { describe, expect, it } from 'vitest'
import { chooseSigning } from './signing.ts'

const CERTIFICATE = { CSC_LINK: 'cert', CSC_KEY_PASSWORD: 'secret' }
const NOTARY = { APPLE_API_KEY: 'key.p8', APPLE_API_KEY_ID: 'id', APPLE_API_ISSUER: 'issuer' }

describe('signing', () => {
  it('is skipped without secrets, which GitHub gives as empty variables', () => {
    expect(chooseSigning('darwin', { CSC_LINK: '', APPLE_API_KEY: '' })).toEqual({
      args: ['-c.mac.identity=-', '-c.mac.notarize=false'],
      unset: [...Object.keys(CERTIFICATE), ...Object.keys(NOTARY)],
      set: { CSC_FOR_PULL_REQUEST: 'true', CSC_IDENTITY_AUTO_DISCOVERY: 'false' },
      lines: ['Signing is skipped: CSC_LINK is not set.', 'Notarisation is skipped: APPLE_API_KEY is not set.'],
    })
    expect(chooseSigning('win32', {}).lines).toEqual(['Signing is skipped: CSC_LINK is not set.'])
  })

  it('leaves electron-builder to do what it has secrets for', () => {
    expect(chooseSigning('darwin', { ...CERTIFICATE, ...NOTARY })).toEqual({
      args: [],
      unset: [],
      set: { CSC_FOR_PULL_REQUEST: 'true' },
      lines: ['The packages are signed.', 'Apple notarises the app.'],
    })
    expect(chooseSigning('darwin', CERTIFICATE).args).toEqual(['-c.mac.notarize=false'])
    expect(chooseSigning('win32', CERTIFICATE)).toMatchObject({ args: [], lines: ['The packages are signed.'] })
  })

  it('is refused with a part of the secrets', () => {
    expect(() => chooseSigning('win32', { CSC_LINK: 'cert' })).toThrow('CSC_KEY_PASSWORD must be set too')
    expect(() => chooseSigning('darwin', { ...CERTIFICATE, APPLE_API_KEY: 'key.p8' })).toThrow('APPLE_API_ISSUER')
    expect(() => chooseSigning('darwin', NOTARY)).toThrow('signed apps only')
  })
})

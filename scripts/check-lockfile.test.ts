import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lockfileFaults } from './check-lockfile.ts'

const INTEGRITY = 'sha512-x'
const asks = { version: '2.0.0', integrity: INTEGRITY, optionalDependencies: { '@a/darwin-arm64': '2.0.0' } }

describe('the lockfile', () => {
  it('has a hash for every package, no registry URLs, and the packages of every platform', () => {
    const text = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')
    expect(lockfileFaults(JSON.parse(text))).toEqual([])
  })

  it('is refused if a package has no hash', () => {
    expect(lockfileFaults({ packages: { 'node_modules/a': { version: '1.0.0' } } })).toEqual([
      'node_modules/a has no integrity hash',
    ])
  })

  it('is refused with the URL of a registry', () => {
    const packages = { 'node_modules/a': { integrity: INTEGRITY, resolved: 'https://registry.example/a.tgz' } }
    expect(lockfileFaults({ packages })).toEqual(['node_modules/a names an address: https://registry.example/a.tgz'])
  })

  it('may contain our own packages without a hash', () => {
    const packages = {
      '': {},
      'src-sdk': { version: '0.1.0' },
      'node_modules/sdk': { link: true, resolved: 'src-sdk' },
    }
    expect(lockfileFaults({ packages })).toEqual([])
  })

  it('is refused if a platform’s package is missing at every path that npm may use', () => {
    const packages = {
      'node_modules/a': asks,
      'node_modules/b/node_modules/a': asks,
      'node_modules/@a/darwin-arm64': { version: '2.0.0', integrity: INTEGRITY },
      'node_modules/c/node_modules/a': { ...asks, optionalDependencies: { '@a/darwin-arm64': '1.0.0' } },
    }
    expect(lockfileFaults({ packages })).toEqual([
      'node_modules/c/node_modules/a lacks its optional package @a/darwin-arm64@1.0.0',
    ])
  })
})

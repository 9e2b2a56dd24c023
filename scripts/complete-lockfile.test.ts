import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { missingFrom, platformOf } from './complete-lockfile.ts'

describe('the lockfile', () => {
  it('names the optional packages of every platform, so that npm ci accepts it on any', () => {
    const text = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')
    expect(missingFrom(JSON.parse(text))).toEqual({})
  })

  it('is completed beside the package that asks, nested ones included', () => {
    const asks = { version: '2.0.0', dev: true, license: 'MIT', optionalDependencies: { '@a/darwin-arm64': '2.0.0' } }
    const packages = {
      '': {},
      'node_modules/a': asks,
      'node_modules/b/node_modules/a': asks,
      'node_modules/@a/darwin-arm64': { version: '2.0.0' },
      'node_modules/c/node_modules/a': { ...asks, optionalDependencies: { '@a/darwin-arm64': '1.0.0' } },
    }
    expect(missingFrom({ packages })).toEqual({
      'node_modules/c/node_modules/@a/darwin-arm64': {
        version: '1.0.0',
        dev: true,
        license: 'MIT',
        optional: true,
        os: ['darwin'],
        cpu: ['arm64'],
      },
    })
  })

  it.each([
    ['@oxlint/binding-linux-x64-musl', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
    ['@oxlint/binding-linux-riscv64-gnu', { os: ['linux'], cpu: ['riscv64'], libc: ['glibc'] }],
    ['@oxlint/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: undefined }],
    ['@oxlint/binding-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'], libc: undefined }],
    ['@oxlint-tsgolint/darwin-arm64', { os: ['darwin'], cpu: ['arm64'], libc: undefined }],
  ])('reads the platform from the name %s', (name, platform) => {
    expect(platformOf(name)).toEqual(platform)
  })
})

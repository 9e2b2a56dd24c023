import { describe, expect, it } from 'vitest'
import { chooseHome, isCi, type Machine } from './choose-home.ts'
import type { ElectronBinary } from './electron-binary.ts'

const READY: ElectronBinary = { kind: 'ready', executable: '/e/electron' }
const MISSING: ElectronBinary = { kind: 'missing', version: '45.4.1', why: 'the binary is not downloaded' }
const NOT_INSTALLED: ElectronBinary = { kind: 'not-installed', why: 'the electron package is not installed' }

const machine = (changes: Partial<Machine> = {}): Machine => ({
  platform: 'linux',
  env: { DISPLAY: ':0' },
  userId: 1000,
  restrictsUserNamespaces: false,
  hasSandboxHelper: false,
  ...changes,
})

const OBSTACLES: readonly (readonly [string, Partial<Machine>])[] = [
  ['RUNTIME_NO_ELECTRON', { env: { DISPLAY: ':0', RUNTIME_NO_ELECTRON: '1' } }],
  ['no display', { env: {} }],
  ['as root', { userId: 0 }],
  ['AppArmor', { restrictsUserNamespaces: true }],
]

describe('a machine that can show windows', () => {
  it.each<[string, Partial<Machine>]>([
    ['X11', {}],
    ['Wayland', { env: { WAYLAND_DISPLAY: 'wayland-0' } }],
    ['a restricted system with the helper of the sandbox', { restrictsUserNamespaces: true, hasSandboxHelper: true }],
    ['macOS, which has no DISPLAY', { platform: 'darwin', env: {} }],
    ['macOS as root', { platform: 'darwin', env: {}, userId: 0 }],
    ['Windows', { platform: 'win32', env: {}, userId: undefined }],
    ['CI with the binary', { env: { DISPLAY: ':0', CI: 'true' } }],
  ])('gets a window: %s', (_name, changes) => {
    expect(chooseHome('any', machine(changes), READY)).toEqual({ kind: 'desktop', executable: '/e/electron' })
  })

  it('gets the browser on request, without a reason', () => {
    expect(chooseHome('browser', machine(), READY)).toEqual({ kind: 'browser', why: undefined })
  })

  it('downloads a missing binary', () => {
    const download = { kind: 'download', version: '45.4.1', why: 'the binary is not downloaded' }
    expect(chooseHome('any', machine(), MISSING)).toEqual(download)
    expect(chooseHome('desktop', machine(), MISSING)).toEqual(download)
  })

  it('downloads nothing in CI, except with --desktop', () => {
    const ci = machine({ env: { DISPLAY: ':0', CI: 'true' } })
    expect(chooseHome('any', ci, MISSING)).toMatchObject({ kind: 'browser', why: expect.stringContaining('CI') })
    expect(chooseHome('desktop', ci, MISSING)).toMatchObject({ kind: 'download' })
  })
})

describe('a machine that cannot show windows', () => {
  it.each(OBSTACLES)('gets the browser and the reason: %s', (reason, changes) => {
    const home = chooseHome('any', machine(changes), READY)
    expect(home).toMatchObject({ kind: 'browser', why: expect.stringContaining(reason) })
  })

  it.each(OBSTACLES)('refuses with --desktop: %s', (reason, changes) => {
    const home = chooseHome('desktop', machine(changes), READY)
    expect(home).toMatchObject({ kind: 'refused', why: expect.stringContaining(reason) })
  })

  it('does not download a binary that it could not run', () => {
    expect(chooseHome('any', machine({ env: {} }), MISSING).kind).toBe('browser')
  })

  it('reports a missing package', () => {
    expect(chooseHome('any', machine(), NOT_INSTALLED)).toEqual({ kind: 'browser', why: NOT_INSTALLED.why })
    expect(chooseHome('desktop', machine(), NOT_INSTALLED)).toEqual({ kind: 'refused', why: NOT_INSTALLED.why })
  })
})

it('CI is detected by the variable CI', () => {
  expect([{ CI: 'true' }, { CI: '1' }, {}, { CI: '' }, { CI: 'false' }].map(isCi)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

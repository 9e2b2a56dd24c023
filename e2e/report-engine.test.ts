import { expect, it } from 'vitest'
import { describeRun, type Outcome } from './report-engine.ts'

const outcome = (kind: Outcome['kind'], more: Partial<Outcome> = {}): Outcome => ({
  kind,
  reason: '',
  measured: [],
  ...more,
})

it('prints the Electron, the skipped tests with reasons, and the measurements', () => {
  const keychain = outcome('skipped', { reason: 'needs a keychain' })
  const outcomes = [outcome('passed', { measured: ['5 ms'] }), outcome('failed'), keychain, keychain]
  expect(describeRun(outcomes, 'stand-in')).toEqual([
    '',
    'Desktop tests ran on the stand-in, which is not Electron: e2e/electron-standin/README.md says what it cannot show',
    '  1 passed, 1 failed, 2 skipped',
    '  skipped 2: needs a keychain',
    '  measured: 5 ms',
  ])
  expect(describeRun([], 'electron')[1]).toBe('Desktop tests ran on real Electron')
})

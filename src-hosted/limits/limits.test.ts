import { describe, expect, it } from 'vitest'
import { defaultLimits, limitsWith, readLimits } from './limits.ts'

describe('limits', () => {
  it('are the defaults where nothing else is said', () => {
    expect(limitsWith({})('wsp_1')).toEqual(defaultLimits)
    expect(readLimits('{}').limits('wsp_1')).toEqual(defaultLimits)
  })

  it('are overridden for all workspaces, and for single ones', () => {
    const { limits, limitedWorkspaces } = readLimits(
      '{ "default": { "storedBytes": 5, "turnsAtOnce": 2 }, "workspaces": { "wsp_1": { "storedBytes": 9 } } }',
    )
    expect(limits('wsp_1')).toEqual({ ...defaultLimits, storedBytes: 9, turnsAtOnce: 2 })
    expect(limitedWorkspaces).toEqual(['wsp_1'])
    expect(limits('wsp_2')).toEqual({ ...defaultLimits, storedBytes: 5, turnsAtOnce: 2 })
  })

  it.each([
    ['{ "defaults": {} }', 'limits must not have "defaults"; allowed there: default, workspaces'],
    ['{ "default": { "storedBytes": 0 } }', 'limits/default/storedBytes must be'],
    [
      '{ "workspaces": { "wsp_1": { "turns": 1 } } }',
      'limits/workspaces/wsp_1 must not have "turns"; allowed there: requestsPerSecond, requestBurst, hooksPerSecond, hookBurst, storedBytes, turnsAtOnce, effectsAtOnce, retentionDays',
    ],
    [
      '{ "workspaces": { "Acme": { "turnsAtOnce": 1 } } }',
      'limits/workspaces has "Acme", not a workspace\'s id (wsp_…)',
    ],
    ['{ "default": { "turnsAtOnce": 1.5 } }', 'limits/default/turnsAtOnce must be integer'],
  ])('of %s are refused', (text, fault) => {
    expect(() => readLimits(text)).toThrow(fault)
  })
})

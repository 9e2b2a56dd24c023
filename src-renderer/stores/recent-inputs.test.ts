import { describe, expect, it } from 'vitest'
import {
  lastStarted,
  noteWorkspace,
  readRecents,
  recentKey,
  type RecentInputs,
  remember,
  rememberInput,
} from './recent-inputs.ts'

describe('recent inputs', () => {
  it('are ordered newest first, each once', () => {
    const texts = ['{"a":1}', '{"a":2}', '{"a":1}']
    const recents = texts.reduce<RecentInputs>((known, text, at) => remember(known, 'p', text, at), {})
    expect(recents['p']).toEqual([
      { text: '{"a":1}', at: 2 },
      { text: '{"a":2}', at: 1 },
    ])
  })

  it('are limited in number and size, and keep the last Program', () => {
    let recents: RecentInputs = {}
    for (let index = 0; index < 100; index += 1) recents = remember(recents, 'p', `${index}`, index)
    expect(recents['p']).toHaveLength(8)
    recents = remember(recents, 'q', 'x'.repeat(10_000), 0)
    expect(recents['q']).toEqual([])
    for (let index = 0; index < 100; index += 1) recents = remember(recents, `p${index}`, '', index)
    expect(Object.keys(recents)).toHaveLength(40)
    expect(Object.keys(recents).at(-1)).toBe('p99')
    expect(Object.keys(remember(recents, 'p70', '', 0)).at(-1)).toBe('p70')
  })

  it('are separate for each connection, project and Program', () => {
    const key = recentKey({ connection: { id: 'local' }, projectId: null }, 'p')
    expect(recentKey({ connection: { id: 'local' }, projectId: 'default' }, 'p')).toBe(key)
    expect(recentKey({ connection: { id: 'local","default' }, projectId: null }, 'p')).not.toBe(key)
  })

  it('are forgotten when the token of their connection is replaced by one of another workspace', () => {
    const [acme, other] = ['acme', 'other'].map((id) => ({ connection: { id }, projectId: null }))
    for (const place of [acme!, other!]) rememberInput(recentKey(place, 'order'), '{}')
    for (const workspace of ['wsp_1', 'wsp_1']) noteWorkspace('acme', workspace)
    expect(lastStarted(acme!)).toBe('order')
    noteWorkspace('acme', 'wsp_2')
    expect([lastStarted(acme!), lastStarted(other!)]).toEqual([undefined, 'order'])
  })

  it('are read only as far as they are valid', () => {
    const key = recentKey({ connection: { id: 'local' }, projectId: null }, 'p')
    const good = { text: '1', at: 5 }
    expect(readRecents({ recents: { [key]: [good, { text: 1 }, null], broken: [good], '["a"]': [good] } })).toEqual({
      [key]: [good],
    })
    expect([readRecents(undefined), readRecents({ recents: [] }), readRecents('x')]).toEqual([{}, {}, {}])
    expect(readRecents({ recents: { [key]: 7 } })).toEqual({ [key]: [] })
  })
})

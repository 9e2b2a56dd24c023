import { expect, it } from 'vitest'
import type { RuntimeState } from '../desktop.ts'
import { runtimeVerbs } from './runtime-verbs.ts'

const since = '2026-11-20T18:00:00.000Z'
const ready = { kind: 'ready', url: '', port: 3477, pid: 1, projectFolder: null } as const

it.each<[RuntimeState, readonly string[]]>([
  [{ kind: 'stopped' }, ['start']],
  [{ kind: 'starting', since }, []],
  [{ kind: 'starting', since, upgrade: { kind: 'copying', percent: 1 } }, ['stop']],
  [{ ...ready, owned: true }, ['stop', 'restart']],
  [{ ...ready, owned: false }, []],
  [{ kind: 'stopping', since }, []],
  [{ kind: 'crashed', message: '', logLines: [], restartsAt: null }, ['restart']],
  [{ kind: 'crashed', message: '', logLines: [], restartsAt: since }, ['restart', 'stop']],
  [
    {
      kind: 'foreign',
      port: 3477,
      holder: null,
      isReserved: false,
      runtime: null,
      suggestedPort: 3478,
      environmentLine: '',
    },
    ['start', 'stop'],
  ],
])('of a runtime in the state %o it offers %o', (state, verbs) => expect(runtimeVerbs(state)).toEqual(verbs))

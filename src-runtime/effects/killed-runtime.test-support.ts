// A process with one effect host that does as it is told. Says the host's pid and that of a process that an effect has started, and
// waits to be killed.

import { pino } from 'pino'
import { createEffectHosts } from './create-effect-hosts.ts'

const [, , folder = '', state = ''] = process.argv

const hosts = createEffectHosts({
  runtimeUrl: () => 'http://localhost:4711',
  log: pino({ level: 'silent' }),
  loadEffects: () => ({
    folder,
    // On Linux, one whose parent has ended.
    code: `import { spawn, spawnSync } from 'node:child_process'
      export const idle = () => process.platform === 'linux'
        ? Number(spawnSync('sh', ['-c', 'sleep 300 >/dev/null 2>&1 & echo $!'], { detached: true }).stdout)
        : spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { detached: process.platform !== 'win32' }).pid
      export const waiting = () => new Promise(() => {})
      export const blocked = () => { console.log('now'); for (;;); }`,
    effects: ['idle', 'waiting', 'blocked'].map((name) => ({ name, options: {} })),
  }),
})

const perform = (name: string, onLog: () => void) =>
  hosts.perform({
    executionId: 'exe_1',
    programId: 'p',
    versionId: 'ver_1',
    name,
    attempt: 1,
    idempotencyKey: 'exe_1/1',
    data: '{}',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onLog,
  })

const started = await perform('idle', () => undefined)
const blocked = Promise.withResolvers<void>()
void perform(state, () => blocked.resolve())
if (state === 'blocked') await blocked.promise
const startedPid = started.kind === 'completed' ? Number(JSON.parse(started.data).result) : undefined
process.send?.([hosts.status()[0]?.pid, startedPid])

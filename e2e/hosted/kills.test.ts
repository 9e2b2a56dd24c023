// Kills the processes of `wes serve` one after the other, each with SIGKILL, and is silent afterwards: everything alive has to
// go on by itself.

import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portsIn } from '#hosted/boot/serve-folder.ts'
import { programOf } from '#runtime/behaviour/artifacts.test-support.ts'
import { talkTo, until, type Talk } from '#runtime/behaviour/talk.test-support.ts'
import { descendantsOf, stillAlive, type Leftover } from '../leftovers.ts'
import { startServeProcess, type ServeProcess } from '../serve-process.test-support.ts'

/** On a busy machine; a calm one needs a few seconds. */
const MOVES_WITHIN_MS = 30_000

const EFFECTS = {
  ...programOf('effects', 'for (let n = 0; n < 4; n += 1) await ctx.effect("slow", { ms: 500 }); return "effects"'),
  manifest: { effects: [{ name: 'slow' }] },
  effects: { code: 'export const slow = ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms))' },
}
const PROGRAMS = [
  EFFECTS,
  programOf('timers', 'for (let n = 0; n < 4; n += 1) await ctx.sleep(500); return "timers"'),
  programOf('events', 'return ctx.waitForEvent("go")'),
]

let service: ServeProcess
let talk: Talk
beforeAll(async () => {
  service = await startServeProcess(['--unsafe-effects', '--log-level', 'fatal'])
  talk = talkTo(() => ({ url: service.url, headers: { authorization: `Bearer ${service.token}` } }))
  for (const json of PROGRAMS) {
    const { status, text } = await talk.call('POST', '/v1/programs/deploy', { json })
    if (status !== 201) throw new Error(text)
  }
})
afterAll(() => service.dispose())

/** An effect of one runs, a timer of another is set, and a third is sent the event that it waits for. */
const beginAll = async (): Promise<readonly string[]> => {
  const ids = await Promise.all(PROGRAMS.map(({ id }) => talk.start(id)))
  const [effects = '', , events = ''] = ids
  await talk.waitsFor(events, 'go')
  await talk.waitsFor(effects, 'slow')
  expect((await talk.send(events, 'go', 'events')).status).toBe(202)
  return ids
}

/** Only reads, so that nothing else wakes the Executions. */
const untilAllEnd = async (ids: readonly string[]): Promise<void> => {
  await Promise.all(
    ids.map((id) =>
      until(async () => {
        const result = await talk.call('GET', `/v1/executions/${id}/result`).catch(() => undefined)
        return result?.json?.status === 'completed' ? true : undefined
      }, MOVES_WITHIN_MS),
    ),
  )
}

const expectNothingLost = async (ids: readonly string[]): Promise<void> => {
  const results = await Promise.all(ids.map((id) => talk.result(id)))
  expect(results.map((view) => ('result' in view ? view.result : view.status))).toEqual(['effects', 'timers', 'events'])
  const entries = await talk.history(ids[0]!)
  expect(entries.filter(({ type }) => type === 'effect_completed')).toHaveLength(4)
}

/** PostgreSQL ends all connections when one is killed, so some may be gone already. */
const kill = (processes: readonly Leftover[]): void => {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

const processes = (what: RegExp): readonly Leftover[] =>
  descendantsOf(service.pid()).filter(({ command }) => what.test(command))

/** `data`: a server of HTTP/2 sends its settings to whoever connects. What only looks whether the port is free sends nothing. */
const shows = (port: number, event: 'connect' | 'data'): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {}).once('close', () => resolve(false))
    socket.once(event, () => {
      resolve(true)
      socket.destroy()
    })
  })

/** All that is unfinished comes to the worker at its address, and may keep the process busy for long. */
const areCallersServedOnceItWorks = async (): Promise<boolean> => {
  const { worker } = portsIn(service.dataDir)!
  await until(async () => ((await shows(worker, 'data')) ? true : undefined))
  return shows(Number(new URL(service.url).port), 'connect')
}

// Other systems do not show which processes belong to it.
describe.skipIf(process.platform !== 'linux')('everything alive goes on by itself after kill -9 of', () => {
  it.each<[string, RegExp]>([
    ['PostgreSQL', /^\S+\/postgres -D /],
    ['a connection of PostgreSQL', /^postgres: wes_server/],
    ['Restate', /^\S+\/restate-server /],
    ['Program hosts', /host-main/],
    ['effect hosts', /isolated-host/],
    ['the way of effects to the network', /egress-main/],
  ])('%s', async (_what, command) => {
    const ids = await beginAll()
    const killed = processes(command)
    expect(killed.length).toBeGreaterThan(0)
    kill(killed)
    await untilAllEnd(ids)
    await expectNothingLost(ids)
    expect(stillAlive(killed)).toEqual([])
  })

  it('the service, which leaves nothing behind that hinders its next start', async () => {
    const ids = await beginAll()
    const all = descendantsOf(service.pid())
    await service.kill()
    const isServedAtWork = areCallersServedOnceItWorks()
    await service.start()
    expect(await isServedAtWork).toBe(true)
    await untilAllEnd(ids)
    await expectNothingLost(ids)
    await until(async () => (stillAlive(all).length === 0 ? true : undefined))
  })
})

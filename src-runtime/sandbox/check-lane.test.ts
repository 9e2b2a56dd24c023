import { pino } from 'pino'
import { expect, test } from 'vitest'
import { HostsUnavailableError } from '../shared/hosts-unavailable.ts'
import { createCheckLane } from './check-lane.ts'
import { createHostLink } from './host-link.ts'
import { DEFAULT_POOL_LIMITS } from './pool-limits.ts'
import { createSlowPrograms } from './slow-programs.ts'
import type { HostProcess } from './spawn-host.ts'

/** A lane whose hosts check nothing; the test ends their checks. */
const createTestLane = () => {
  const begun: string[] = []
  let end = (): void => {}
  let crash = (): void => {}
  let reason = 'SIGSEGV'
  let starts = true
  const spawn = (): HostProcess => {
    let say = (_message: unknown): void => {}
    return {
      pid: 0,
      send: (message) => {
        if (message.kind !== 'check') return
        begun.push(message.code)
        end = () => say({ kind: 'checked', sequence: message.sequence, message: '' })
      },
      sendLarge: () => {},
      onMessage: (listener) => void (say = listener),
      onExit: (listener) => {
        queueMicrotask(() => starts && say({ kind: 'ready', slowness: 1 }))
        crash = () => listener(reason)
      },
      kill: () => {},
    }
  }
  const rules = { separatesReplay: true, isAnnounced: () => false }
  const lane = createCheckLane({
    startHost: (_role, events) => createHostLink(spawn(), () => ({ code: '' }), events, rules),
    limits: DEFAULT_POOL_LIMITS,
    slowPrograms: createSlowPrograms(),
    log: pino({ level: 'silent' }),
  })
  return {
    lane,
    begun,
    end: () => end(),
    crash: async (why = 'SIGSEGV') => {
      reason = why
      await Promise.resolve()
      crash()
    },
    /** The system lets the host run no more, until it is replaced. */
    stop: async () => {
      await Promise.resolve()
      for (const { link } of lane.watched()) link.end('motionless')
      crash()
    },
    neverReady: async () => {
      starts = false
      await Promise.resolve()
      crash()
    },
  }
}

test('tenants take turns', async () => {
  const { lane, begun, end } = createTestLane()
  const codes = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']
  const checks = codes.map((code) => lane.check({ code }, code[0]))
  while (begun.length < codes.length) end()
  end()
  await Promise.all(checks)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

test('a check whose host crashed waits for the turn of its tenant', async () => {
  const { lane, begun, end, crash } = createTestLane()
  const checks = ['a1', 'b1'].map((code) => lane.check({ code }, code[0]))
  await crash()
  expect(begun).toEqual(['a1', 'b1'])
  end()
  end()
  expect(await Promise.all(checks)).toEqual([{ ok: true }, { ok: true }])
  expect(begun).toEqual(['a1', 'b1', 'a1'])
})

test('says that a Program ended its host only if it did so itself', async () => {
  const { lane, end, crash, stop } = createTestLane()
  const crashed = lane.check({ code: 'a1' })
  await crash()
  await crash('exit code 134\nFatal error')
  expect(await crashed).toEqual({ ok: false, message: 'The Program ended the process that loaded it, twice' })

  const killed = lane.check({ code: 'a2' })
  const next = lane.check({ code: 'b1' }, 'b')
  await stop()
  end()
  expect(await next).toEqual({ ok: true })
  await crash('SIGKILL\nout of memory')
  await expect(killed).rejects.toThrow(HostsUnavailableError)
})

test('the checks of a lane that stops are refused', async () => {
  const { lane } = createTestLane()
  const checks = ['a1', 'a2', 'b1'].map((code) => lane.check({ code }, code[0]))
  lane.stop()
  const ends = await Promise.allSettled(checks)
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

test('a check is refused as unavailable when no host can be started', async () => {
  const { lane, neverReady } = createTestLane()
  const checked = lane.check({ code: 'a1' })
  for (let starts = 0; starts < 3; starts++) {
    await neverReady()
    lane.tick(60_000)
  }
  await expect(checked).rejects.toThrow(HostsUnavailableError)
})

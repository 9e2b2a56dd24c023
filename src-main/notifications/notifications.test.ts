import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { createIds } from '../../src-runtime/shared/ids.ts'
import { createManualClock } from '../../src-runtime/shared/manual-clock.test-support.ts'
import type { Execution } from '../../src-sdk/contract-types.ts'
import type { ExecutionChange, RuntimeStatus } from '../../src-sdk/inspection-types.ts'
import type { ChangeMessage, ChangesOptions } from '../../src-sdk/stream-changes.ts'
import type { RuntimeState } from '../preload/desktop-api.ts'
import { pathOfTag, tagIn, tagOf } from './notification-tags.ts'
import {
  candidates,
  executionPath,
  listPath,
  notificationOf,
  type NotifyRules,
  type ShownText,
  withoutMarkup,
} from './notification-texts.ts'
import { createExecutionWatch } from './watch-executions.ts'
import { createRuntimeWatch } from './watch-runtime.ts'

const T0 = Date.parse('2026-11-20T12:00:00.000Z')
const ALL: NotifyRules = { failed: true, waitsForMe: true, finishedAfterAMinute: true }
const NONE: NotifyRules = { failed: false, waitsForMe: false, finishedAfterAMinute: false }
const newId = createIds(() => T0)

const change = (status: ExecutionChange['status'], ms = 0, executionId = newId('exe')): ExecutionChange => ({
  executionId,
  programId: 'order',
  projectId: 'default',
  status,
  at: new Date(T0 + ms).toISOString(),
})
const kinds = (changes: readonly ExecutionChange[], rules: NotifyRules) =>
  candidates(changes, rules).map(({ kind }) => kind)

describe('the rules of notification', () => {
  it('send no notifications until they are turned on', () => {
    expect(kinds([change('failed'), change('waiting'), change('completed', 100_000)], NONE)).toEqual([])
  })

  it('notify of failures, waits, and Executions that took a minute', () => {
    expect(kinds([change('failed')], { ...NONE, failed: true })).toEqual(['failed'])
    expect(kinds([change('waiting')], { ...NONE, waitsForMe: true })).toEqual(['waits'])
    const finished = { ...NONE, finishedAfterAMinute: true }
    expect(kinds([change('completed', 60_000), change('failed', 61_000)], finished)).toEqual(['finished', 'finished'])
    expect(
      kinds([change('completed', 59_999), change('cancelled', 90_000), change('running', 90_000)], finished),
    ).toEqual([])
  })

  it('notify only of the newest change of an Execution', () => {
    const id = newId('exe')
    expect(kinds([change('waiting', 0, id), change('running', 1, id), change('completed', 2, id)], ALL)).toEqual([])
  })

  it('have no tags, of which desktops of Linux would hide or follow the text', () => {
    expect(withoutMarkup(`Unexpected token '<', "<html>" & more`)).toBe(
      `Unexpected token '&lt;', "&lt;html&gt;" &amp; more`,
    )
    expect(withoutMarkup('&lt;')).toBe('&amp;lt;')
  })

  it('name the failure and its reason, the event, the duration', () => {
    const [failed, waits, finished] = [change('failed'), change('waiting'), change('completed', 12_000_000)]
    const execution = {
      error: { code: 'program_error', message: 'no money' },
      waitingFor: [
        { kind: 'timer', wakeAt: '' },
        { kind: 'event', name: 'approved', since: 'T' },
      ],
    } as unknown as Execution
    expect(notificationOf({ kind: 'failed', change: failed }, execution)).toMatchObject({
      title: 'order failed',
      body: 'no money',
      path: `/c/local/p/default/executions/${failed.executionId}`,
    })
    expect(notificationOf({ kind: 'waits', change: waits }, execution)).toMatchObject({
      title: 'order waits for approved',
    })
    expect(notificationOf({ kind: 'waits', change: waits }, { waitingFor: [] } as unknown as Execution)).toBeUndefined()
    expect(notificationOf({ kind: 'finished', change: finished }, undefined)).toMatchObject({
      title: 'order completed',
      body: 'It took 3 h 20 min.',
    })
  })

  it('are cut between two characters', () => {
    const execution = { error: { code: 'program_error', message: '😀'.repeat(200) } } as unknown as Execution
    expect(notificationOf({ kind: 'failed', change: change('failed') }, execution)).toMatchObject({
      body: `${'😀'.repeat(99)}…`,
    })
  })

  it('show characters that cannot be seen as escapes', () => {
    const execution = {
      error: { code: 'program_error', message: 'unknown user\u202enimda' },
      waitingFor: [{ kind: 'event', name: 'approved\u200b\n', since: 'T' }],
    } as unknown as Execution
    expect(notificationOf({ kind: 'failed', change: change('failed') }, execution)).toMatchObject({
      body: String.raw`unknown user\u202enimda`,
    })
    expect(notificationOf({ kind: 'waits', change: change('waiting') }, execution)).toMatchObject({
      title: String.raw`order waits for approved\u200b\u000a`,
      body: String.raw`approved\u200b\u000a`,
    })
  })
})

const rig = (rules: NotifyRules = ALL) => {
  const clock = createManualClock(T0)
  const shown: { title: string; path: string }[] = []
  let seen = false
  let queue: ChangeMessage[] = []
  let wake = (): void => undefined
  const signals: { aborted: boolean }[] = []
  const getExecution = vi.fn(
    async (id: string) => ({ id, waitingFor: [{ kind: 'event', name: 'go', since: 'T' }] }) as unknown as Execution,
  )
  const watch = createExecutionWatch({
    rules: () => rules,
    show: ({ title, path }) => shown.push({ title, path }),
    isSeen: () => seen,
    clock,
    log: pino({ level: 'silent' }),
  })
  const getRuntime = vi.fn(async () => ({ diskIsFull: false }) as RuntimeStatus)
  const client = {
    getExecution,
    getRuntime,
    async *streamChanges({ signal, onOpen }: ChangesOptions = {}) {
      const own = signal as AbortSignal
      signals.push(own)
      onOpen?.()
      while (!own.aborted) {
        const messages = queue
        queue = []
        yield* messages
        if (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
  watch.follow(client)
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  const send = async (...messages: readonly ChangeMessage[]) => {
    queue.push(...messages)
    wake()
    await settle()
    clock.advance(1_000)
    await settle()
  }
  return {
    watch,
    client,
    shown,
    getExecution,
    setDiskIsFull: (diskIsFull: boolean) => getRuntime.mockResolvedValue({ diskIsFull } as RuntimeStatus),
    signals,
    isSeen: (value: boolean) => (seen = value),
    tell: (...changes: readonly ExecutionChange[]) =>
      send(...changes.map((one, index): ChangeMessage => ({ kind: 'change', id: `${index}`, change: one }))),
    tellOfRuntime: () => send({ kind: 'runtime', id: '1' }),
  }
}

describe('a click on a notification that an earlier process showed', () => {
  const clicked = (tag: string | undefined) => pathOfTag(tagIn(`type=click&tag=${tag}`))
  const OWN = '0123456789ab'

  it('opens what it was about', () => {
    const { executionId } = change('failed')
    const path = executionPath({ executionId, projectId: 'prj_01h455vb4pex5vsknk084sn02q' })
    expect(clicked(tagOf(path, OWN))).toBe(executionPath({ executionId, projectId: 'default' }))
    for (const projectId of ['default', 'prj_01h455vb4pex5vsknk084sn02q']) {
      for (const kind of ['failed', 'finished', 'waits'] as const) {
        const list = listPath(projectId, kind)
        expect(tagOf(list, OWN)).toMatch(/^[a-z0-9-]{1,64}$/)
        expect(clicked(tagOf(list, OWN))).toBe(list)
      }
    }
  })

  it('opens nothing else', () => {
    const { executionId } = change('failed')
    expect(tagOf('/settings', OWN)).toBeUndefined()
    for (const tag of ['', 'exe-1-a', `${executionId}-a/../x`, 'default-cancel-a', 'x-failed-a', '1234567890']) {
      expect(clicked(tag)).toBeUndefined()
    }
  })
})

describe('the watch over Executions', () => {
  it('notifies of each of a few changes, with the target of a click', async () => {
    const { tell, shown } = rig()
    const [failed, waits] = [change('failed'), change('waiting')]
    await tell(failed, waits)
    expect(shown).toEqual([
      { title: 'order failed', path: `/c/local/p/default/executions/${failed.executionId}` },
      { title: 'order waits for go', path: `/c/local/p/default/executions/${waits.executionId}` },
    ])
  })

  it('combines many changes, and reads only a few Executions', async () => {
    const { tell, shown, getExecution } = rig()
    await tell(...Array.from({ length: 500 }, () => change('failed')))
    expect(shown).toEqual([{ title: '500 Executions failed', path: '/c/local/p/default/executions?status=failed' }])
    expect(getExecution.mock.calls.length).toBeLessThanOrEqual(20)
  })

  it('opens the list of the project in which the last of many changed', async () => {
    const { tell, shown } = rig()
    const failed = Array.from({ length: 5 }, () => ({ ...change('failed'), projectId: 'prj_other' }))
    await tell(change('failed'), ...failed)
    expect(shown).toEqual([{ title: '6 Executions failed', path: '/c/local/p/prj_other/executions?status=failed' }])
  })

  it('counts no wait that it has not read, and says that there may be more', async () => {
    const { tell, shown } = rig()
    await tell(...Array.from({ length: 20 }, () => change('waiting')))
    await tell(...Array.from({ length: 100 }, () => change('waiting')))
    expect(shown.map(({ title }) => title)).toEqual([
      '20 Executions wait for events',
      '20 or more Executions wait for events',
    ])
  })

  it('notifies of a wait once, even if its Execution changes again', async () => {
    const { tell, shown } = rig()
    const id = newId('exe')
    await tell(change('waiting', 0, id))
    await tell(change('running', 1, id), change('waiting', 2, id))
    expect(shown).toHaveLength(1)
  })

  it('sends no notification while the user looks at the dashboard', async () => {
    const { tell, shown, isSeen } = rig()
    isSeen(true)
    await tell(change('failed'))
    expect(shown).toEqual([])
  })

  it('sends no requests without rules, and still keeps the last failures', async () => {
    const { tell, shown, getExecution, watch } = rig(NONE)
    const heard = vi.fn()
    watch.onTrayFacts(heard)
    const failed = Array.from({ length: 7 }, (_, index) => change('failed', index))
    await tell(...failed, change('waiting'))
    expect([shown.length, getExecution.mock.calls.length]).toEqual([0, 0])
    expect(watch.failures().map(({ path }) => path.replace('/c/local/p/default/executions/', ''))).toEqual(
      failed
        .slice(2)
        .toReversed()
        .map(({ executionId }) => executionId),
    )
    // Each time, all menus are rebuilt, and an open one closes.
    expect(heard).toHaveBeenCalledTimes(1)
  })

  it('knows when the disk is full and when there is room again, also if it was full before', async () => {
    const { watch, client, tellOfRuntime, setDiskIsFull } = rig()
    const told: boolean[] = []
    watch.onTrayFacts(() => told.push(watch.diskIsFull()))
    for (const isFull of [true, true, false, true]) {
      setDiskIsFull(isFull)
      await tellOfRuntime()
    }
    expect(told).toEqual([true, false, true])
    watch.follow(undefined)
    expect(watch.diskIsFull()).toBe(false)
    watch.follow(client)
    await vi.waitFor(() => expect(watch.diskIsFull()).toBe(true))
  })

  it('follows one runtime at a time', () => {
    const { watch, signals } = rig()
    watch.follow(undefined)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
})

describe('a failure of the runtime', () => {
  const failed = (message: string, afterMs?: number): RuntimeState => {
    const restartsAt = afterMs === undefined ? null : new Date(T0 + afterMs).toISOString()
    return { kind: 'crashed', message, logLines: [], restartsAt }
  }
  const STARTING: RuntimeState = { kind: 'starting', since: '' }
  const READY: RuntimeState = { kind: 'ready', url: 'u', port: 3477, pid: 1, owned: true, projectFolder: null }
  const told = (states: readonly RuntimeState[], rules = ALL, isSeen = false) => {
    const shown: string[] = []
    const show = ({ title, body }: ShownText) => void shown.push(`${title}: ${body}`)
    states.forEach(createRuntimeWatch({ rules: () => rules, show, isSeen: () => isSeen, now: () => T0 }))
    return shown
  }

  it('is notified once, if no restart within seconds has helped', () => {
    const full = [failed('full', 1_000), STARTING, failed('full', 4_000), STARTING, failed('full', 30_000)]
    expect(told(full.slice(0, 4))).toEqual([])
    expect(told([...full, STARTING, failed('full', 30_000)])).toEqual(['The runtime failed: full'])
    expect(told([READY, failed('gone')])).toEqual(['The runtime failed: gone'])
  })

  it('is notified again if the runtime has run in between', () => {
    expect(told([failed('a'), STARTING, READY, failed('b')])).toHaveLength(2)
  })

  it('is not notified if every rule is off, or the user sees it', () => {
    expect(told([failed('a')], NONE)).toEqual([])
    expect(told([failed('a')], ALL, true)).toEqual([])
  })
})

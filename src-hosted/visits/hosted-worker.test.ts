import pino from 'pino'
import { expect, it } from 'vitest'
import type { NewExecution } from '../../src-runtime/ports/executions.ts'
import type { Acceptance } from '../store/store.ts'
import { createHostedWorker } from './hosted-worker.ts'
import type { RunAhead } from './run-ahead.ts'

const ASKED: NewExecution = {
  ...{ id: 'exe_1', projectId: 'prj_1', programId: 'order', versionId: 'ver_1', versionNumber: 1 },
  createdAt: 1_000,
  data: '{}',
}

it('begins the time of an Execution when its start gets a place, and not when it was asked for', async () => {
  let at = 1_000
  const begun: number[] = []
  const note = ({ createdAt }: NewExecution): void => void begun.push(createdAt)
  const runAhead: Pick<RunAhead, 'run' | 'forget'> = {
    run: async (_workspaceId, execution) => {
      note(execution)
      return undefined
    },
    forget: () => {},
  }
  const start: Acceptance['start'] = async (execution) => {
    note(execution)
    return { kind: 'repeated', key: 1 }
  }
  const unused = (): never => {
    throw new Error('a start does nothing else')
  }
  const worker = createHostedWorker({
    workspaceId: 'wsp_1',
    accept: { start, receive: unused, requestCancel: unused, actEarly: unused },
    startPlaces: {
      take: async () => {
        at += 4_000
        return () => {}
      },
    },
    dispatcher: { poke: unused },
    runAhead,
    now: () => at,
    log: pino({ level: 'silent' }),
    onCommitted: unused,
  })
  await worker.startExecution(ASKED)
  expect(begun).toEqual([5_000, 5_000])
})

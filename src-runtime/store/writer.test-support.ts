// A process that writes to a data directory as fast as it can until it is killed. It prints a line for each write that
// the store has acknowledged.

import { openDataDirectory } from '../data-directory/data-directory.ts'
import { createIds } from '../shared/ids.ts'
import { openStore } from './open-store.ts'
import { reserveLog } from './reserve-log.ts'

const CALLERS = 32

const { databaseFile } = openDataDirectory(process.argv[2] ?? '')
const store = await openStore({ file: databaseFile, now: Date.now, onCommitted: () => {} })
reserveLog(databaseFile)
const ids = createIds(Date.now)
const version = {
  id: ids('ver'),
  projectId: 'default',
  programId: 'order',
  digest: ids('ver'),
  origin: 'upload',
  runnable: true,
  manifest: '{}',
  code: '',
} as const
const { program } = await store.programs.deploy({ ...version, createdAt: Date.now() })
const versionNumber = program.latestVersion.number

/** A write to a pipe is synchronous, so an acknowledged line survives the process. */
const acknowledge = (line: string) => process.stdout.write(`${line}\n`)

const call = async (): Promise<never> => {
  for (;;) {
    const id = ids('exe')
    const started = await store.executions.start({
      id,
      projectId: 'default',
      programId: 'order',
      versionId: version.id,
      versionNumber,
      createdAt: Date.now(),
      data: `{"input":"${id}"}`,
    })
    if (started.kind !== 'started') throw new Error(started.kind)
    acknowledge(`started ${id}`)
    const { key } = started.head
    const event = ids('evt')
    await store.executions.change(key, () => ({
      entries: [{ at: Date.now(), type: 'event_received', name: 'a', data: `{"id":"${event}"}` }],
      opened: [{ kind: 'event', command: 1, name: 'b', since: Date.now() }],
      status: 'waiting',
      lastCommand: 1,
    }))
    acknowledge(`received ${id} ${event}`)
    await store.executions.change(key, () => ({
      entries: [{ at: Date.now(), type: 'execution_completed', data: `{"result":"${id}"}` }],
      status: 'completed',
    }))
    acknowledge(`completed ${id}`)
  }
}

await Promise.all(Array.from({ length: CALLERS }, call))

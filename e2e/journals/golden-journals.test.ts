// Replays journals of earlier runtimes: the commands, results and random numbers must be the same. RECORD_FIXTURES=1
// writes new journals from real Executions.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, executionHandle, type HistoryEntry, type ProgramArtifact } from '#sdk/index.ts'
import type { JournalEntry } from '#runtime/engine/journal.ts'
import { replayTurns } from '#runtime/engine/replay-turns.ts'
import { createProgramHosts } from '#runtime/sandbox/create-program-hosts.ts'
import type { ProgramHosts } from '#runtime/sandbox/program-hosts.ts'
import { startRuntimeProcess } from '../runtime-process.test-support.ts'
import { SCENARIOS, type Scenario } from './scenarios.test-support.ts'

type Golden = {
  readonly program: ProgramArtifact
  readonly executionId: string
  readonly versionNumber: number
  /** From `GET /v1/executions/:id/history`. */
  readonly history: readonly HistoryEntry[]
}

const fileOf = (name: string): string => join(import.meta.dirname, '../../fixtures/journals', `${name}.json`)

const record = async ({ name, program, input, drive }: Scenario): Promise<void> => {
  const runtime = await startRuntimeProcess()
  try {
    const client = createClient({ url: runtime.url() })
    await client.deployProgram(program)
    const { id } = await client.start(program.id, input)
    await drive(client, id)
    await executionHandle(client, id)
      .result({ timeout: 60_000 })
      .catch(() => undefined)
    const { items: history } = await client.getHistory(id, { limit: 200 })
    const golden: Golden = { program, executionId: id, versionNumber: 1, history }
    writeFileSync(fileOf(name), `${JSON.stringify(golden, undefined, 2)}\n`)
  } finally {
    await runtime.dispose()
  }
}

const readGolden = (name: string): Golden => JSON.parse(readFileSync(fileOf(name), 'utf8')) as Golden

/** Converts an entry of the API to one of the journal. */
const journalOf = (history: readonly HistoryEntry[]): readonly JournalEntry[] => {
  const received = new Map(
    history.flatMap(({ type, position, data }) =>
      type === 'event_received' ? [[(data as { id: string }).id, position] as const] : [],
    ),
  )
  return history.map(({ position, at, type, command, name, attempt, data }) => ({
    position,
    at: Date.parse(at),
    type,
    ...(command !== undefined && { command }),
    ...(name !== undefined && { name }),
    ...(attempt !== undefined && { attempt }),
    ...(type === 'event_delivered' && { source: received.get((data as { id: string }).id) ?? 0 }),
    ...(data !== undefined && { data: JSON.stringify(data) }),
  }))
}

let hosts: ProgramHosts
beforeAll(async () => {
  if (process.env['RECORD_FIXTURES'] !== undefined) for (const scenario of SCENARIOS) await record(scenario)
  hosts = createProgramHosts({
    loadProgram: (name) => ({ code: readGolden(name).program.program.code }),
    log: pino({ level: 'silent' }),
  })
})
afterAll(() => hosts.stop())

describe('a journal from an earlier runtime', () => {
  it.each(SCENARIOS.map(({ name }) => name))('%s replays to the same commands and the same end', async (name) => {
    const { executionId, versionNumber, history, program } = readGolden(name)
    const journal = journalOf(history)
    const turns = [...replayTurns(journal, (position) => journal[position - 1]?.data ?? '{}')]
    const last = turns.pop()!
    const identity = { executionId, programId: program.id, versionId: name, versionNumber }
    // All turns but the last are replayed; the last one runs live, to compare how it ends.
    const result = await hosts.activate({ ...identity, turnsDone: 0, turns: [...turns, { delivery: last.delivery }] })
    if (result.kind !== 'ran') throw new Error(JSON.stringify(result))
    const [output] = result.turns
    const asked = output?.operations.flatMap((operation) => (operation.kind === 'log' ? [] : [operation.data]))
    expect(asked).toEqual(last.expected.map(({ data }) => data))
    const ending = journal.at(-1)
    if (ending?.type === 'execution_completed') {
      expect(output?.outcome).toEqual({ kind: 'completed', data: ending.data })
    } else {
      expect(ending?.type).toBe('execution_cancelled')
      expect(output?.outcome.kind).not.toBe('suspended')
    }
  })
})

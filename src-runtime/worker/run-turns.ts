// Runs turns of a Program from its cached image, or replays the journal first when there is none.

import type { ReplayTurn } from '../engine/replay-turns.ts'
import type { Delivery } from '../engine/turn.ts'
import type { ActivationResult, ProgramHosts } from '../sandbox/program-hosts.ts'
import type { JournalStore } from '../store/store.ts'
import type { ActiveExecution } from './active-execution.ts'
import { recordedTurns } from './read-journal.ts'

/** A replay is sent in parts of about this many characters, so that no message grows with the history. */
const PART_LENGTH = 2 * 1024 * 1024
const PART_TURNS = 1_000
/** When the image is lost this often between the parts of a replay, the host is assumed to be faulty. */
const MAX_REPLAYS = 5

export type RanTurns = Exclude<ActivationResult, { kind: 'image_missing' }>

/** `undefined`: the image could not be built now, or the Execution has left memory. */
export const runTurns = async (
  active: ActiveExecution,
  deliveries: readonly Delivery[],
  hosts: Pick<ProgramHosts, 'activate'>,
  journal: JournalStore,
): Promise<RanTurns | undefined> => {
  const { id: executionId, programId, versionId, versionNumber, live } = active
  const execution = { executionId, programId, versionId, versionNumber }
  const turns = deliveries.map((delivery) => ({ delivery }))
  const result = await hosts.activate({ ...execution, turnsDone: live.turns, turns })
  if (result.kind !== 'image_missing') return result

  await active.durable // the replay includes turns that ran ahead of their commit
  for (let replay = 0; replay < MAX_REPLAYS && !active.gone; replay++) {
    let turnsDone = 0
    let part: ReplayTurn[] = []
    let length = 0
    let lost = false
    for (const turn of recordedTurns(journal, active.key, live)) {
      part.push(turn)
      length += lengthOf(turn)
      if (length < PART_LENGTH && part.length < PART_TURNS) continue
      const sent = await hosts.activate({ ...execution, turnsDone, turns: part })
      if (active.gone) return undefined
      if (sent.kind === 'diverged' || (sent.kind === 'ran' && sent.turns.length > 0)) return sent
      lost = sent.kind === 'image_missing'
      if (lost) break
      turnsDone += part.length
      part = []
      length = 0
    }
    if (lost) continue
    const last = await hosts.activate({ ...execution, turnsDone, turns: [...part, ...turns] })
    if (last.kind !== 'image_missing') return last
  }
  return undefined
}

const lengthOf = ({ delivery, expected }: ReplayTurn): number =>
  ('data' in delivery ? delivery.data.length : 0) + expected.reduce((length, { data }) => length + data.length, 0)

// Runs turns of a Program from its cached image, or replays the journal first when there is none.

import type { ReplayTurn } from '../engine/replay-turns.ts'
import type { Delivery } from '../engine/turn.ts'
import type { Activation, ActivationResult, ProgramHosts } from '../sandbox/program-hosts.ts'

/** When the image is lost this often between the parts of a replay, the host is assumed to be faulty. */
const MAX_REPLAYS = 5

export type RanTurns = Exclude<ActivationResult, { kind: 'image_missing' }>

export type TurnsToRun = {
  readonly execution: Pick<Activation, 'executionId' | 'programId' | 'tenant' | 'versionId' | 'versionNumber'>
  readonly turnsDone: number
  readonly deliveries: readonly Delivery[]
}

export type Replay = {
  /** Settles when the journal holds all turns that are done. */
  ready(): Promise<unknown>
  /** These turns, in parts; there is at least one. */
  parts(): Iterable<readonly ReplayTurn[]> | AsyncIterable<readonly ReplayTurn[]>
  /** Whether the result is not needed any more. */
  isGone(): boolean
}

/** `undefined`: the image could not be built now, or the result is not needed any more. */
export const runTurns = async (
  { execution, turnsDone, deliveries }: TurnsToRun,
  hosts: Pick<ProgramHosts, 'activate'>,
  replay: Replay,
): Promise<RanTurns | undefined> => {
  const turns = deliveries.map((delivery) => ({ delivery }))
  const result = await hosts.activate({ ...execution, turnsDone, turns })
  if (result.kind !== 'image_missing') return result

  await replay.ready()
  for (let attempt = 0; attempt < MAX_REPLAYS && !replay.isGone(); attempt++) {
    let done = 0
    let part: readonly ReplayTurn[] | undefined
    let isLost = false
    for await (const next of replay.parts()) {
      if (part !== undefined) {
        const sent = await hosts.activate({ ...execution, turnsDone: done, turns: part })
        if (replay.isGone()) return undefined
        if (sent.kind === 'diverged' || (sent.kind === 'ran' && sent.turns.length > 0)) return sent
        isLost = sent.kind === 'image_missing'
        if (isLost) break
        done += part.length
      }
      part = next
    }
    if (isLost) continue
    const last = await hosts.activate({ ...execution, turnsDone: done, turns: [...(part ?? []), ...turns] })
    if (last.kind !== 'image_missing') return last
  }
  return undefined
}

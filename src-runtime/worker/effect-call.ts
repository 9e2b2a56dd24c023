// What an attempt of an effect is called with, in every home.

import type { EffectCall, EffectLog } from '../effects/effect-performer.ts'
import type { OpenEffect } from '../engine/effect-attempts.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import type { JsonText } from '../engine/journal.ts'
import { effectTimeoutMs } from '../engine/retry-policy.ts'

/** In characters. */
const MOST_DATA_KEPT = 16 * 1_024

/** Many attempts may wait for a place: instead of large data they keep what reads it again. */
export const unlessLarge = <Read>(data: JsonText, read: Read): JsonText | Read =>
  data.length <= MOST_DATA_KEPT ? data : read

type Owner = Pick<ExecutionHead, 'id' | 'programId' | 'versionId'>

export const effectCallOf = (
  owner: Owner,
  { command, name, attempt, options }: OpenEffect,
  rest: Pick<EffectCall, 'data' | 'readData' | 'signal' | 'onLog' | 'onBegin' | 'onRun' | 'onWait' | 'noteUnderWay'>,
): EffectCall => ({
  executionId: owner.id,
  programId: owner.programId,
  versionId: owner.versionId,
  name,
  attempt,
  idempotencyKey: `${owner.id}/${command}`,
  timeoutMs: effectTimeoutMs(options),
  ...rest,
})

/** The data of the journal's entry for a line that an effect logs. */
export const logData = ({ level, message }: EffectLog): string => JSON.stringify({ level, message })

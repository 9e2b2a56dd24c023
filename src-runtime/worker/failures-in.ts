// Which failures a stored change tells of, for whoever watches the runtime.

import type { Change } from '../engine/change.ts'
import type { EffectFailure } from '../engine/effect-attempts.ts'
import type { Failure } from '../shared/failure.ts'
import type { ActiveExecution } from './active-execution.ts'

type Failed = Pick<ActiveExecution, 'id' | 'programId' | 'versionNumber'>

export const failuresIn = ({ entries = [], error }: Change, failed: Failed): readonly Failure[] => {
  const { id: executionId, programId, versionNumber } = failed
  const failures: Failure[] = []
  for (const { type, name, data } of entries) {
    if (type !== 'effect_attempt_failed' && type !== 'effect_failed') continue
    const effect = { name: name ?? '', isRetried: type === 'effect_attempt_failed' }
    const told = JSON.parse(data ?? '') as { readonly error: EffectFailure }
    failures.push({ executionId, programId, versionNumber, effect, error: told.error })
  }
  if (error !== undefined) failures.push({ executionId, programId, versionNumber, error })
  return failures
}

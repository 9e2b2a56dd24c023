// Asks for attempts of effects whose pauses are longer than their policies allow: PostgreSQL's clock was set back since.

import { pausesTooLong } from '../../src-runtime/engine/effect-attempts.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { EngineStore, RetryMark } from '../store/store.ts'

const AT_ONCE = 200
/** While Restate is away, its messages wait in this process. */
const SENT_WITHIN_MS = 5_000

export const endLongPauses = async (
  store: Pick<EngineStore, 'retries'>,
  dispatcher: Pick<Dispatcher, 'perform'>,
  isStopped: () => boolean,
): Promise<void> => {
  for (let after: RetryMark | undefined; !isStopped();) {
    const { now, effects, next } = await store.retries(after, AT_ONCE)
    const asked = effects
      .filter(({ effect }) => pausesTooLong(effect, now))
      .map(({ executionId, effect: { command, attempt } }) => dispatcher.perform({ executionId, command, attempt }, 0))
    await within(SENT_WITHIN_MS, Promise.all(asked))
    if (next === undefined) return
    after = next
  }
}

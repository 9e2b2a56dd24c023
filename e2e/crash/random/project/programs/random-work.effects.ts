import { defineEffect, NonRetryableError } from 'workflow-execution-service'
import type { EffectInput } from '../../work.ts'

export const work = defineEffect(
  { retry: { maxAttempts: 1_000, initialInterval: '10ms', backoffCoefficient: 1 } },
  async ({ value = null, ms = 0, failures = 0, fatal }: EffectInput, { attempt }) => {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
    if (fatal !== undefined) throw new NonRetryableError(fatal)
    if (attempt <= failures) throw new Error(`attempt ${attempt} failed`)
    return value
  },
)

import type { UsageGrouping } from '#sdk/index.ts'
import type { UsageMetric } from '../../parts/usage-amounts.ts'
import type { RangeView } from './ranges.ts'

export const GROUPINGS = ['day', 'project', 'program'] as const satisfies readonly UsageGrouping[]

/** What the address says of the Usage screen. */
export type UsageView = RangeView & {
  readonly metric?: UsageMetric | undefined
  readonly groupBy?: readonly UsageGrouping[] | undefined
}

export const DEFAULT_GROUPING: readonly UsageGrouping[] = ['day']

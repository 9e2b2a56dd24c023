import type { ComponentProps } from 'react'
import { useLiveness, useLiveProblem } from '../api/live.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { RuntimeStopped, useIsRuntimeDown } from './runtime-stopped.tsx'

/** Empty state of a list. While nothing answers, nobody knows whether it is still empty: then it says that instead. */
export const EmptyList = (props: ComponentProps<typeof EmptyState>) => {
  const isLost = useLiveness() === 'lost'
  const problem = useLiveProblem()
  const isDown = useIsRuntimeDown()
  return isLost || isDown ? <RuntimeStopped failure={problem} /> : <EmptyState {...props} />
}

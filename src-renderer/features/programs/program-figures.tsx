// Figures about a Program's Executions, loaded when its row is in view.

import type { ReactNode } from 'react'
import { lastRunQuery, type Volume, volumeQuery } from '../../api/program-queries.ts'
import { useScope } from '../../api/scope.ts'
import { count, percent } from '../../parts/format.ts'
import { SeenFigure } from '../../parts/seen-figure.tsx'
import { Ago } from '../../parts/time.tsx'
import { classNames } from '../../ui/class-names.ts'

const None = () => <span className="text-faint">–</span>

const FromVolume = ({
  programId,
  version,
  show,
}: {
  readonly programId: string
  readonly version?: number
  readonly show: (volume: Volume) => ReactNode
}) => <SeenFigure query={volumeQuery(useScope(), programId, version)} show={show} />

export const ExecutionCount = ({ programId }: { readonly programId: string }) => (
  <FromVolume programId={programId} show={({ total }) => count(total)} />
)

export const FailureRate = ({ programId }: { readonly programId: string }) => (
  <FromVolume
    programId={programId}
    show={({ failed, ended }) =>
      ended === 0 ? (
        <None />
      ) : (
        <span className={failed > 0 ? 'text-failed' : 'text-soft'}>{percent(failed / ended)}</span>
      )
    }
  />
)

/** How many Executions of a version are active, and how many there are. */
export const ActiveOf = ({ programId, version }: { readonly programId: string; readonly version: number }) => (
  <FromVolume
    programId={programId}
    version={version}
    show={({ active, total }) => (
      <span className="whitespace-nowrap">
        <span className={classNames(active > 0 && 'font-medium text-waiting')}>{count(active)}</span>
        <span className="text-faint"> of {count(total)}</span>
      </span>
    )}
  />
)

export const LastRun = ({ programId }: { readonly programId: string }) => (
  <SeenFigure
    query={lastRunQuery(useScope(), programId)}
    show={(run) => (run === null ? <None /> : <Ago at={run.createdAt} />)}
  />
)

// Figures about a Program's Executions, loaded when its row is in view.

import type { ReactNode } from 'react'
import type { ExecutionSummary } from '#sdk/index.ts'
import { failureOf } from '../../api/failures.ts'
import { lastRunQuery, type Volume, volumeQuery } from '../../api/program-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { count, percent } from '../../parts/format.ts'
import { Ago } from '../../parts/time.tsx'
import { useSeen } from '../../parts/use-seen.ts'
import { classNames } from '../../ui/class-names.ts'

const None = () => <span className="text-faint">–</span>

/** A figure that is loading, or why it could not be loaded. */
const Unknown = ({ error }: { readonly error: unknown }) => {
  if (error === null) return <span className="text-faint">…</span>
  return (
    <span title={failureOf(error).message} className="text-failed">
      unknown
    </span>
  )
}

const FromVolume = ({
  programId,
  version,
  show,
}: {
  readonly programId: string
  readonly version?: number
  readonly show: (volume: Volume) => ReactNode
}) => {
  const [seen, watch] = useSeen()
  const { data, error } = useQueryKeepingError({
    ...volumeQuery(useScope(), programId, version),
    enabled: seen,
    retry: false,
  })
  return <span ref={watch}>{data === undefined ? <Unknown error={error} /> : show(data)}</span>
}

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

export const LastRun = ({ programId }: { readonly programId: string }) => {
  const [seen, watch] = useSeen()
  const { data, error } = useQueryKeepingError({ ...lastRunQuery(useScope(), programId), enabled: seen, retry: false })
  return <span ref={watch}>{data === undefined ? <Unknown error={error} /> : <RunAt run={data} />}</span>
}

const RunAt = ({ run }: { readonly run: ExecutionSummary | null }) =>
  run === null ? <None /> : <Ago at={run.createdAt} />

// The screen of one Program: its versions, a start form, and its Executions. The last two belong to other features and
// are passed in.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { programCannot } from '../../api/capabilities.ts'
import { askEvery } from '../../api/ask-again.ts'
import { useProgramsInterval } from '../../api/live.ts'
import { volumeQuery } from '../../api/program-queries.ts'
import { programQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { useShownSource } from '../../parts/use-source.ts'
import { continued } from '../../parts/visit.ts'
import { InsteadOfData } from '../../parts/query-content.tsx'
import { useCannot } from '../../parts/use-cannot.ts'
import { PROGRAM_TABS, paths, type ProgramTab } from '../../paths.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { isMissing, NoSuchProgram } from './no-such-program.tsx'
import { Origin } from './origin.tsx'
import { SourceWarnings } from './source-faults.tsx'
import { Runnable } from './programs-page.tsx'
import { VersionTable } from './version-table.tsx'
import { visible } from '../../ui/visible.tsx'

export type ProgramPageProps = {
  readonly id: string
  readonly tab: ProgramTab
  readonly startForm: ReactNode
  readonly executions: ReactNode
}

const LABELS: Readonly<Record<ProgramTab, string>> = { versions: 'Versions', start: 'Start', executions: 'Executions' }

export const ProgramPage = ({ id, tab, startForm, executions }: ProgramPageProps) => {
  const scope = useScope()
  const navigate = useNavigate()
  const query = useQueryKeepingError({ ...programQuery(scope, id), refetchInterval: askEvery(useProgramsInterval()) })
  const program = query.data
  const source = useShownSource()
  const cannot = useCannot('write')
  const { data: volume } = useQuery(volumeQuery(scope, id))
  if (program === undefined) {
    if (isMissing(query.error)) return <NoSuchProgram id={id} />
    return (
      <>
        <PageHeader title={id} />
        <InsteadOfData what="the Program" query={query} />
      </>
    )
  }
  const path = source?.programs.find((one) => one.id === id)?.path
  const warnings = source?.warnings?.filter((one) => one.path === path) ?? []
  const counts = { versions: program.latestVersion.number, start: undefined, executions: volume?.total }
  return (
    <>
      <PageHeader
        title={program.id}
        actions={
          tab === 'start' ? undefined : (
            <Button
              kind="primary"
              icon={<Play size={14} />}
              shortcut="S"
              disabledReason={cannot ?? programCannot.beStarted(program)}
              onClick={() => openDialog({ kind: 'start', programId: id })}
            >
              Start execution
            </Button>
          )
        }
      >
        <Runnable program={program} />
        <Origin version={program.latestVersion} path={path} />
        {program.description !== undefined && (
          <p dir="auto" className="min-w-0 truncate text-soft">
            {visible(program.description)}
          </p>
        )}
      </PageHeader>
      {source && warnings.length > 0 && <SourceWarnings folder={source.folder} faults={warnings} />}
      <Tabs
        label={`Program ${id}`}
        tabs={PROGRAM_TABS.map((value) => ({ value, label: LABELS[value], count: counts[value] }))}
        value={tab}
        // The filter of the list stays in the address, for when the user returns to it.
        onChange={(next) =>
          void navigate({
            ...paths.program(id),
            search: (before) => ({ ...before, tab: next }),
            state: continued,
          })
        }
      >
        {tab === 'versions' && <VersionTable program={program} />}
        {tab === 'start' && (
          <div className="printed-whole clear-of-notice min-h-0 flex-1 overflow-auto px-5 py-4">{startForm}</div>
        )}
        {tab === 'executions' && executions}
      </Tabs>
    </>
  )
}

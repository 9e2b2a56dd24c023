// The Programs screen: the origin of each Program, whether it can run, and how often it ran and failed.

import { Link, useNavigate } from '@tanstack/react-router'
import { Play, SearchX } from 'lucide-react'
import type { Program, SourceStatus } from '#sdk/index.ts'
import { programCannot } from '../../api/capabilities.ts'
import { askEvery } from '../../api/ask-again.ts'
import { useProgramsInterval } from '../../api/live.ts'
import { programsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { useShownSource } from '../../parts/use-source.ts'
import { ABOVE_ROW_LINK, type Column, ROW_LINK } from '../../parts/data-table.tsx'
import { plural } from '../../parts/format.ts'
import { NoPrograms } from '../../parts/no-programs.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Table } from '../../parts/table.tsx'
import { StartExecution } from '../../parts/start-execution.tsx'
import { useCannot } from '../../parts/use-cannot.ts'
import { useHold } from '../../parts/use-hold.ts'
import { paths } from '../../paths.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { focusScreenAfter } from '../../ui/focus-screen.ts'
import { Hint } from '../../ui/hint.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { DeployButton } from './deploy-button.tsx'
import { Origin } from './origin.tsx'
import { ExecutionCount, FailureRate, LastRun } from './program-figures.tsx'
import { SourceFaults, SourceWarnings } from './source-faults.tsx'
import { visible } from '../../ui/visible.tsx'

const SourceFolder = ({ source: { folder, watching, missing, reading } }: { readonly source: SourceStatus }) => {
  const path = <span className="font-mono text-xs">{folder}</span>
  return missing === true ? (
    <p className="min-w-0 truncate text-danger">Does not exist: {path}</p>
  ) : (
    <p className="min-w-0 truncate text-soft">
      {reading === true ? 'Reading' : watching ? 'Watching' : 'From'} {path}
    </p>
  )
}

/** `q`: text in the id or the description. */
export type ProgramsPageProps = { readonly q?: string | undefined }

export const ProgramsPage = ({ q = '' }: ProgramsPageProps) => {
  const navigate = useNavigate()
  const search = (text: string) => void navigate({ ...paths.programs(text === '' ? {} : { q: text }), replace: true })
  const scope = useScope()
  const query = useQueryKeepingError({ ...programsQuery(scope), refetchInterval: askEvery(useProgramsInterval()) })
  const programs = query.data
  const source = useShownSource()
  // Errors and warnings of the sources are above the table, and would move it.
  const awaitsSource = useHold(source === undefined)
  return (
    <>
      <PageHeader
        title="Programs"
        actions={
          <>
            {programs !== undefined && programs.length > 0 && (
              <SearchField label="Find a Program" value={q} onChange={search} />
            )}
            <DeployButton isFirst={programs?.length === 0} />
            <StartExecution />
          </>
        }
      >
        {programs !== undefined && programs.length > 0 && (
          <p className="tabular text-soft">{plural(programs.length, 'Program')}</p>
        )}
        {source !== null && source !== undefined && <SourceFolder source={source} />}
      </PageHeader>
      {source !== null && source !== undefined && source.errors.length > 0 && (
        <SourceFaults folder={source.folder} faults={source.errors} />
      )}
      {source?.warnings !== undefined && <SourceWarnings folder={source.folder} faults={source.warnings} />}
      <QueryContent what="the Programs" query={awaitsSource ? { ...query, data: undefined } : query}>
        {(all) =>
          all.length === 0 ? (
            <NoPrograms source={source} />
          ) : (
            <FoundPrograms
              programs={all.filter((program) => hasText(program, q))}
              paths={new Map(source?.programs.map(({ id, path }) => [id, path] as const))}
              onClear={() => search('')}
            />
          )
        }
      </QueryContent>
    </>
  )
}

const hasText = ({ id, description = '' }: Program, text: string): boolean =>
  `${id}\n${description}`.toLowerCase().includes(text.trim().toLowerCase())

type ProgramTableProps = { readonly programs: readonly Program[]; readonly paths: ReadonlyMap<string, string> }

const FoundPrograms = ({ onClear, ...table }: ProgramTableProps & { readonly onClear: () => void }) =>
  table.programs.length > 0 ? (
    <ProgramTable {...table} />
  ) : (
    <EmptyState
      icon={<SearchX size={28} />}
      title="No Program matches"
      actions={
        <Button ref={focusScreenAfter} onClick={onClear}>
          Clear the search
        </Button>
      }
    >
      No id and no description has this text.
    </EmptyState>
  )

const ProgramTable = ({ programs, paths: sources }: ProgramTableProps) => {
  const cannot = useCannot('write')
  const columns: readonly Column<Program>[] = [
    {
      header: 'Program',
      width: 'w-full min-w-36',
      cell: (program) => (
        <div className="wrap-anywhere">
          <Link {...paths.program(program.id)} className={ROW_LINK}>
            {program.id}
          </Link>
          {program.description !== undefined && (
            <p dir="auto" className="line-clamp-1 text-left text-xs text-faint">
              {visible(program.description)}
            </p>
          )}
        </div>
      ),
    },
    {
      header: 'Origin',
      width: 'w-42 @5xl:w-60 @6xl:w-78',
      from: 'wide',
      cell: ({ id, latestVersion }) => (
        <div className="max-w-72 @max-5xl:max-w-36">
          <Origin version={latestVersion} path={sources.get(id)} />
        </div>
      ),
    },
    {
      header: 'Version',
      align: 'right',
      width: 'w-18',
      from: 'widest',
      cell: ({ latestVersion }) => latestVersion.number,
    },
    { header: 'Runnable', width: 'w-24', from: 'medium', cell: (program) => <Runnable program={program} /> },
    { header: 'Executions', align: 'right', width: 'w-24', cell: ({ id }) => <ExecutionCount programId={id} /> },
    {
      header: 'Failure rate',
      align: 'right',
      width: 'w-24',
      from: 'medium',
      cell: ({ id }) => <FailureRate programId={id} />,
    },
    { header: 'Last run', width: 'w-24', from: 'wide', cell: ({ id }) => <LastRun programId={id} /> },
    {
      header: 'Actions',
      silent: true,
      width: 'w-12',
      cell: (program) => (
        <div className={ABOVE_ROW_LINK}>
          <IconButton
            label={`Start ${program.id}`}
            disabledReason={cannot ?? programCannot.beStarted(program)}
            onClick={() => openDialog({ kind: 'start', programId: program.id })}
          >
            <Play size={14} />
          </IconButton>
        </div>
      ),
    },
  ]
  return <Table label="Programs" columns={columns} rows={programs} rowKey={({ id }) => id} />
}

export const Runnable = ({ program }: { readonly program: Pick<Program, 'runnable' | 'latestVersion'> }) => {
  const reason = programCannot.beStarted(program)
  if (reason === undefined) return <Badge tone="completed">runnable</Badge>
  return (
    <Hint text={reason}>
      <button type="button" className={ABOVE_ROW_LINK}>
        <Badge tone="waiting">not runnable</Badge>
        <span className="sr-only">{reason}</span>
      </button>
    </Hint>
  )
}

import { Link } from '@tanstack/react-router'
import { GitCompareArrows } from 'lucide-react'
import type { Program, ProgramVersion } from '#sdk/index.ts'
import { versionsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { ABOVE_ROW_LINK, type Column, ROW_LINK } from '../../parts/data-table.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { paths } from '../../paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Origin } from './origin.tsx'
import { ActiveOf } from './program-figures.tsx'

/** The versions, newest first. A new one appears when the Program's latest number grows. */
export const VersionTable = ({ program }: { readonly program: Program }) => {
  const query = useQueryKeepingError(versionsQuery(useScope(), program.id, program.latestVersion.number))
  return (
    <QueryContent what="the versions" query={query}>
      {(versions) => <Table label="Versions" columns={columnsOf(program)} rows={versions} rowKey={({ id }) => id} />}
    </QueryContent>
  )
}

const columnsOf = (program: Program): readonly Column<ProgramVersion>[] => [
  {
    header: 'Version',
    width: 'w-44 @max-5xl:w-auto',
    cell: ({ number }) => (
      <span className="inline-flex items-center gap-2 whitespace-nowrap">
        <Link {...paths.programVersion(program.id, number)} className={ROW_LINK}>
          Version {number}
        </Link>
        {number === program.latestVersion.number && <Badge>newest</Badge>}
      </span>
    ),
  },
  { header: 'Origin', width: 'w-28 @max-5xl:w-24', from: 'wide', cell: (version) => <Origin version={version} /> },
  {
    header: 'Runnable',
    width: 'w-36 @max-5xl:w-30',
    from: 'medium',
    cell: ({ runnable }) =>
      runnable ? <Badge tone="completed">runnable</Badge> : <Badge tone="waiting">not runnable</Badge>,
  },
  {
    header: 'Active',
    align: 'right',
    width: 'w-28 @max-5xl:w-24 @max-lg:w-20',
    cell: ({ number }) => <ActiveOf programId={program.id} version={number} />,
  },
  {
    header: 'Digest',
    width: '@max-5xl:w-28',
    from: 'wide',
    cell: ({ digest }) => <span className="font-mono text-xs text-soft">{digest.slice(0, 12)}</span>,
  },
  { header: 'Deployed', width: 'w-32 @max-5xl:w-26', from: 'small', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    header: 'Compare',
    silent: true,
    width: 'w-56 @max-5xl:w-28 @max-lg:w-12',
    cell: ({ number }) =>
      number > 1 && (
        <Link
          {...paths.programVersion(program.id, number, { against: number - 1 })}
          className={`${ABOVE_ROW_LINK} inline-flex items-center gap-1.5 align-middle whitespace-nowrap text-soft pointer-coarse:py-1.5 hover:text-ink hover:underline`}
        >
          <GitCompareArrows size={13} />
          <span className="@max-lg:sr-only">Compare</span>
          <span className="@max-5xl:sr-only">with previous</span>
        </Link>
      ),
  },
]

import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { Project } from '#sdk/index.ts'
import { projectsQuery } from '../../api/queries.ts'
import { shownProjectId, useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { type Column, ROW_LINK } from '../../parts/data-table.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { useCannot } from '../../parts/use-cannot.ts'
import { paths } from '../../paths.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { visible } from '../../ui/visible.tsx'

export const ProjectsPage = () => {
  const scope = useScope()
  const query = useQueryKeepingError(projectsQuery(scope))
  const cannot = useCannot('admin')
  return (
    <>
      <PageHeader
        title="Projects"
        actions={
          <Button
            kind="primary"
            icon={<Plus size={14} />}
            disabledReason={cannot}
            onClick={() => openDialog({ kind: 'new-project' })}
          >
            New project
          </Button>
        }
      />
      <QueryContent what="the projects" query={query}>
        {(projects) => <ProjectTable projects={projects} shown={shownProjectId(scope)} />}
      </QueryContent>
    </>
  )
}

const ProjectTable = ({ projects, shown }: { readonly projects: readonly Project[]; readonly shown: string }) => {
  const columns: readonly Column<Project>[] = [
    {
      header: 'Name',
      cell: (project) => (
        <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere">
          <Link {...paths.project(project.id)} activeOptions={{ exact: true }} className={ROW_LINK}>
            {visible(project.name)}
          </Link>
          {project.isDefault && <Badge>default</Badge>}
          {project.id === shown && <Badge tone="completed">current</Badge>}
        </span>
      ),
    },
    {
      header: 'Id',
      width: '@max-xl:w-12',
      cell: ({ id }) => (
        <span className="relative z-10 inline-flex items-center gap-1 font-mono text-xs">
          <span className="@max-xl:sr-only">{id}</span>
          <CopyButton label={`Copy the id of ${id}`} text={id} />
        </span>
      ),
    },
    { header: 'Created', width: 'w-36 @max-xl:w-28', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ]
  return <Table label="Projects" columns={columns} rows={projects} rowKey={({ id }) => id} />
}

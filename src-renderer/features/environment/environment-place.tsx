import { useQuery } from '@tanstack/react-query'
import { serviceName } from '../../api/connection.ts'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { visible } from '../../ui/visible.tsx'

export const ProjectName = () => {
  const scope = useScope()
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const project = projects.find(({ id, isDefault }) => (scope.projectId === null ? isDefault : id === scope.projectId))
  return (
    <span className="font-medium text-ink">{visible(project?.name ?? scope.projectId ?? 'the default project')}</span>
  )
}

/** Whose environment a dialog changes. */
export const EnvironmentPlace = () => {
  const { connection } = useScope()
  const name = serviceName(connection)
  if (name === undefined) return <ProjectName />
  return (
    <>
      <ProjectName /> on{' '}
      <span className="font-medium text-ink">
        {visible(name)}
        {connection.isProduction && ' (production)'}
      </span>
    </>
  )
}

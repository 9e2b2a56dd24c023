import { useQuery } from '@tanstack/react-query'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'

export const ProjectName = () => {
  const scope = useScope()
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const project = projects.find(({ id, isDefault }) => (scope.projectId === null ? isDefault : id === scope.projectId))
  return <span className="font-medium text-ink">{project?.name ?? scope.projectId ?? 'the default project'}</span>
}

/** Whose environment a dialog changes. */
export const EnvironmentPlace = () => {
  const { name, isProduction } = useScope().connection
  return (
    <>
      <ProjectName /> on{' '}
      <span className="font-medium text-ink">
        {name}
        {isProduction && ' (production)'}
      </span>
    </>
  )
}

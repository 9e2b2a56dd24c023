import { useQuery } from '@tanstack/react-query'
import { serviceName } from '../../api/connection.ts'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { visible } from '../../ui/visible.tsx'

const NAME = 'font-medium text-ink wrap-anywhere'

export const ProjectPhrase = () => {
  const scope = useScope()
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const project = projects.find(({ id, isDefault }) => (scope.projectId === null ? isDefault : id === scope.projectId))
  const name = project?.name ?? scope.projectId
  if (name === null) return 'the default project'
  return (
    <>
      the project <span className={NAME}>{visible(name)}</span>
    </>
  )
}

/** Whose environment a dialog changes. */
export const EnvironmentPlace = () => {
  const { connection } = useScope()
  const name = serviceName(connection)
  if (name === undefined) return <ProjectPhrase />
  return (
    <>
      <ProjectPhrase /> {connection.address === undefined ? 'in the workspace' : 'on the connection'}{' '}
      <span className={NAME}>
        {visible(name)}
        {connection.isProduction && ' (production)'}
      </span>
    </>
  )
}

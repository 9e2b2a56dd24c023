import { useQuery } from '@tanstack/react-query'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { usePreferences } from '../../stores/preferences.ts'
import { Select } from '../../ui/select.tsx'

/** Which project every screen shows. */
export const ProjectSwitcher = () => {
  const scope = useScope()
  const { data: projects } = useQuery(projectsQuery(scope))
  const options = (projects ?? []).map((project) => ({ value: project.id, label: project.name }))
  const chosen = scope.projectId ?? 'default'
  return (
    <Select
      label="Project"
      value={chosen}
      options={options.length === 0 ? [{ value: chosen, label: chosen }] : options}
      onChange={(id) => usePreferences.setState({ projectId: id === 'default' ? null : id })}
      className="w-full"
    />
  )
}

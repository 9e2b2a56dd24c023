import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown, FolderKanban } from 'lucide-react'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { FindButton } from '../../parts/find-button.tsx'
import { loadedAhead } from '../../parts/loaded-when-shown.ts'
import { visible } from '../../ui/visible.tsx'

const ProjectList = loadedAhead(async () => (await import('./project-list.tsx')).ProjectList)

/** Shows the current project, and switches to another. */
export const ProjectSwitcher = () => {
  const scope = useScope()
  const { data: projects } = useQuery(projectsQuery(scope))
  const chosen = projects?.find((project) =>
    scope.projectId === null ? project.isDefault : project.id === scope.projectId,
  )
  const shown = chosen?.name ?? scope.projectId ?? 'Default'
  return (
    <FindButton
      label={`Project: ${shown}`}
      className="h-7.5 w-full gap-2 max-sm:w-0 max-sm:min-w-20 max-sm:flex-1 px-2"
      list={(opened) => <ProjectList {...opened} chosen={chosen} />}
    >
      <FolderKanban size={14} className="shrink-0 text-soft" />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {visible(shown)}
      </span>
      <ChevronsUpDown size={13} className="shrink-0 text-faint" />
    </FindButton>
  )
}

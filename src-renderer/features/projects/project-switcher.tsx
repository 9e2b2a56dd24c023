import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, FolderKanban, Plus } from 'lucide-react'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { useCannot } from '../../parts/use-cannot.ts'
import { useShowProject } from '../../parts/use-show-project.ts'
import { paths } from '../../paths.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { Menu } from '../../ui/menu.tsx'
import { visible } from '../../ui/visible.tsx'

/** Shows the current project, and switches to another. */
export const ProjectSwitcher = () => {
  const scope = useScope()
  const navigate = useNavigate()
  const showProject = useShowProject()
  const cannot = useCannot('admin')
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const chosen = projects.find((project) =>
    scope.projectId === null ? project.isDefault : project.id === scope.projectId,
  )
  const shown = chosen?.name ?? scope.projectId ?? 'Default'
  return (
    <Menu
      label="Projects"
      align="start"
      trigger={
        <button
          type="button"
          aria-label={`Project: ${shown}`}
          className="flex h-7.5 w-full min-w-0 items-center gap-2 max-sm:w-0 max-sm:min-w-20 max-sm:flex-1 rounded-md border border-line-strong bg-raised px-2 text-left hover:bg-hover"
        >
          <FolderKanban size={14} className="shrink-0 text-soft" />
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {visible(shown)}
          </span>
          <ChevronsUpDown size={13} className="shrink-0 text-faint" />
        </button>
      }
      groups={[
        projects.map((project) => ({
          key: project.id,
          label: project.name,
          icon: project === chosen ? <Check size={14} /> : <span className="w-3.5" />,
          onSelect: () => showProject(project.id),
        })),
        [
          {
            label: 'New project',
            icon: <Plus size={14} />,
            disabledReason: cannot,
            onSelect: () => openDialog({ kind: 'new-project' }),
          },
          {
            label: 'All projects',
            icon: <FolderKanban size={14} />,
            onSelect: () => void navigate(paths.projects()),
          },
        ],
      ]}
    />
  )
}

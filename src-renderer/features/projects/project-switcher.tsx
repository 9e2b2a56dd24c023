import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown, FolderKanban } from 'lucide-react'
import { Suspense, useState } from 'react'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { loadedAhead } from '../../parts/loaded-when-shown.ts'
import { PartGuard } from '../../parts/part-guard.tsx'
import { visible } from '../../ui/visible.tsx'

const ProjectList = loadedAhead(async () => (await import('./project-list.tsx')).ProjectList)

/** Shows the current project, and switches to another. */
export const ProjectSwitcher = () => {
  const scope = useScope()
  const [isOpen, setOpen] = useState(false)
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const { data: projects } = useQuery(projectsQuery(scope))
  const chosen = projects?.find((project) =>
    scope.projectId === null ? project.isDefault : project.id === scope.projectId,
  )
  const shown = chosen?.name ?? scope.projectId ?? 'Default'
  const close = () => setOpen(false)
  return (
    <>
      <button
        ref={setButton}
        type="button"
        aria-label={`Project: ${shown}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex h-7.5 w-full min-w-0 items-center gap-2 max-sm:w-0 max-sm:min-w-20 max-sm:flex-1 rounded-md border border-line-strong bg-raised px-2 text-left hover:bg-hover"
      >
        <FolderKanban size={14} className="shrink-0 text-soft" />
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {visible(shown)}
        </span>
        <ChevronsUpDown size={13} className="shrink-0 text-faint" />
      </button>
      {isOpen && (
        <PartGuard title="The projects could not be shown" close={close}>
          <Suspense>
            <ProjectList chosen={chosen} anchor={button} onClose={close} />
          </Suspense>
        </PartGuard>
      )}
    </>
  )
}

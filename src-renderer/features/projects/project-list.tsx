// The list that the project switcher opens. Typing filters it, and what else can be done stays in sight below it.

import { Combobox } from '@base-ui/react/combobox'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, FolderKanban, Plus, Search } from 'lucide-react'
import type { Project } from '#sdk/index.ts'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { useCannot } from '../../parts/use-cannot.ts'
import { useShowProject } from '../../parts/use-show-project.ts'
import { paths } from '../../paths.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { Button } from '../../ui/button.tsx'
import { visible } from '../../ui/visible.tsx'

export type ProjectListProps = {
  readonly chosen: Project | undefined
  /** The button that opened it. */
  readonly anchor: HTMLElement | null
  readonly onClose: () => void
}

export const ProjectList = ({ chosen, anchor, onClose }: ProjectListProps) => {
  const navigate = useNavigate()
  const showProject = useShowProject()
  const cannot = useCannot('admin')
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const instead = (act: () => void) => () => {
    onClose()
    act()
  }
  return (
    <Combobox.Root
      open
      items={projects}
      value={chosen ?? null}
      isItemEqualToValue={(one, other) => one.id === other.id}
      itemToStringLabel={(project) => project.name}
      onValueChange={(project) => project !== null && instead(() => showProject(project.id))()}
      onOpenChange={(open, { event }) => {
        if (!open && !isAt(anchor, event)) onClose()
      }}
      autoHighlight
    >
      <Combobox.Portal>
        <Combobox.Positioner anchor={anchor} align="start" sideOffset={4} className="z-50">
          <Combobox.Popup
            aria-label="Projects"
            finalFocus={() => anchor}
            className="flex max-h-[min(30rem,var(--available-height))] w-72 max-w-(--available-width) flex-col overflow-y-auto rounded-md border border-line bg-raised shadow-float outline-none"
          >
            <div className="flex shrink-0 items-center gap-2 border-b border-line px-2.5">
              <Search size={14} className="shrink-0 text-faint" />
              <Combobox.Input
                aria-label="Find a project"
                placeholder="Find a project"
                spellCheck={false}
                className="h-8 pointer-coarse:h-10 min-w-0 flex-1 bg-transparent outline-none placeholder:text-faint"
              />
            </div>
            <Combobox.Empty className="px-2.5 py-2 text-soft empty:hidden">No project matches.</Combobox.Empty>
            <Combobox.List aria-label="Projects" className="min-h-9 overflow-auto py-1 outline-none empty:hidden">
              {(project: Project) => (
                <Combobox.Item
                  key={project.id}
                  value={project}
                  className="flex min-h-7 pointer-coarse:min-h-9 items-center gap-2 px-2.5 py-0.5 outline-none data-highlighted:bg-hover"
                >
                  <span className="w-3.5 shrink-0">
                    <Combobox.ItemIndicator>
                      <Check size={14} />
                    </Combobox.ItemIndicator>
                  </span>
                  <span className="min-w-0 wrap-anywhere">{visible(project.name)}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
            <div className="flex shrink-0 flex-col border-t border-line py-1">
              <Button
                kind="quiet"
                icon={<Plus size={14} />}
                disabledReason={cannot}
                className={ACTION}
                onClick={instead(() => openDialog({ kind: 'new-project' }))}
              >
                New project
              </Button>
              <Button
                kind="quiet"
                icon={<FolderKanban size={14} />}
                className={ACTION}
                onClick={instead(() => void navigate(paths.projects()))}
              >
                All projects
              </Button>
            </div>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

const ACTION = '-mx-px justify-start font-normal'

/** The button closes the list by its own click, or would open it again. */
const isAt = (anchor: HTMLElement | null, event: Event): boolean => {
  const place = event instanceof FocusEvent ? event.relatedTarget : event.target
  return anchor !== null && place instanceof Node && anchor.contains(place) && event.type !== 'keydown'
}

// The list that the project switcher opens, and what else can be done.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FolderKanban, Plus } from 'lucide-react'
import type { Project } from '#sdk/index.ts'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import type { OpenedList } from '../../parts/find-button.tsx'
import { useCannot } from '../../parts/use-cannot.ts'
import { useShowProject } from '../../parts/use-show-project.ts'
import { paths } from '../../paths.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { Button } from '../../ui/button.tsx'
import { FindList } from '../../ui/find-list.tsx'

export type ProjectListProps = OpenedList & { readonly chosen: Project | undefined }

export const ProjectList = ({ chosen, ...opened }: ProjectListProps) => {
  const navigate = useNavigate()
  const showProject = useShowProject()
  const cannot = useCannot('admin')
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const instead = (act: () => void) => () => {
    opened.onClose()
    act()
  }
  return (
    <FindList
      {...opened}
      label="Projects"
      one="project"
      value={chosen?.id ?? null}
      options={projects.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={showProject}
    >
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
    </FindList>
  )
}

const ACTION = '-mx-px justify-start font-normal'

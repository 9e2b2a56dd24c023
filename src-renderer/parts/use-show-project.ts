import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type Connection, useConnection } from '../api/connection.ts'
import { projectIdOf } from '../api/scope.ts'
import { paths, PLACE } from '../paths.ts'

/** The screens that every project has, by the first part of their paths. */
const SCREENS = {
  programs: paths.programs(),
  waiting: paths.waiting(),
  errors: paths.errors(),
  metrics: paths.metrics(),
  settings: paths.settings(),
  projects: paths.projects(),
} as const

/** The same of hosted connections only. */
const HOSTED_SCREENS = {
  triggers: paths.triggers(),
  environment: paths.environment(),
  usage: paths.usage(),
  billing: paths.billing(),
  workspace: paths.workspace(),
} as const

type SharedScreen = (typeof SCREENS)[keyof typeof SCREENS] | (typeof HOSTED_SCREENS)[keyof typeof HOSTED_SCREENS]

/** Finds the screen that is shown among those that every project of such a connection has. */
export const useSharedScreen = (): ((kind: Connection['kind']) => SharedScreen | undefined) => {
  const name = useRouterState({
    select: ({ matches }) =>
      matches
        .at(-1)
        ?.fullPath.slice(PLACE.length + 1)
        .split('/')[0],
  })
  return (kind) => {
    const all: Readonly<Record<string, SharedScreen>> = kind === 'local' ? SCREENS : { ...SCREENS, ...HOSTED_SCREENS }
    return name !== undefined && Object.hasOwn(all, name) ? all[name] : undefined
  }
}

/** Switches to another project and keeps the screen, unless it belongs to one project only. */
export const useShowProject = (): ((project: string) => void) => {
  const navigate = useNavigate()
  const connection = useConnection()
  const screen = useSharedScreen()(connection.kind)
  return (id) => {
    const project = projectIdOf(id, connection) ?? 'default'
    void navigate(screen === undefined ? paths.project(project) : { ...screen, params: { project } })
  }
}

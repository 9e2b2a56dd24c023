import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useConnection } from '../api/connection.ts'
import { projectIdOf } from '../api/scope.ts'
import { paths, PLACE } from '../paths.ts'

/** The screens that every project has, by the first part of their paths. */
const SCREENS = {
  programs: paths.programs(),
  waiting: paths.waiting(),
  errors: paths.errors(),
  metrics: paths.metrics(),
  triggers: paths.triggers(),
  environment: paths.environment(),
  usage: paths.usage(),
  billing: paths.billing(),
  workspace: paths.workspace(),
  settings: paths.settings(),
  projects: paths.projects(),
} as const

type ScreenName = keyof typeof SCREENS

const isScreen = (name: string | undefined): name is ScreenName => name !== undefined && name in SCREENS

/** The screen that is shown, if every project of every connection has it. */
export const useSharedScreen = (): (typeof SCREENS)[ScreenName] | undefined => {
  const name = useRouterState({
    select: ({ matches }) =>
      matches
        .at(-1)
        ?.fullPath.slice(PLACE.length + 1)
        .split('/')[0],
  })
  return isScreen(name) ? SCREENS[name] : undefined
}

/** Switches to another project and keeps the screen, unless it belongs to one project only. */
export const useShowProject = (): ((project: string) => void) => {
  const navigate = useNavigate()
  const screen = useSharedScreen()
  const connection = useConnection()
  return (id) => {
    const project = projectIdOf(id, connection) ?? 'default'
    void navigate(screen === undefined ? paths.project(project) : { ...screen, params: { project } })
  }
}

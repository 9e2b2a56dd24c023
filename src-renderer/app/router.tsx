// Every route of the dashboard. Screens are loaded when they are first shown; the list of Executions, where nearly every
// visit begins, comes with the page itself.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  redirect,
  type ErrorComponentProps,
} from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { ExecutionsPage } from '../features/executions/list/executions-page.tsx'
import { rememberedFilter } from '../features/executions/list/remembered-filter.ts'
import { EXECUTION_TABS, paths, PROGRAM_TABS } from '../paths.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Fault } from '../ui/fault.tsx'
import { Loading } from '../ui/loading.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { oneOf, one, parseSearch, positiveInteger, type Search, stringifySearch } from './search-parameters.ts'
import { Shell } from './shell.tsx'

const asSearch = (search: Record<string, unknown>): Search => search as Search

const root = createRootRoute({ component: Shell, validateSearch: asSearch })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/executions', replace: true })
  },
})

const executions = createRoute({
  getParentRoute: () => root,
  path: '/executions',
  beforeLoad: ({ cause, search }) => {
    const remembered = cause === 'enter' ? rememberedFilter(search) : undefined
    if (remembered !== undefined) throw redirect({ to: '/executions', search: remembered as Search, replace: true })
  },
  component: ExecutionsPage,
})

const ExecutionPage = lazyRouteComponent(
  () => import('../features/executions/detail/execution-page.tsx'),
  'ExecutionPage',
)
const execution = createRoute({
  getParentRoute: () => root,
  path: '/executions/$id',
  component: () => {
    const { id } = execution.useParams()
    const search = execution.useSearch()
    const entry = positiveInteger(one(search, 'entry'))
    return <ExecutionPage key={id} id={id} tab={oneOf(search, 'tab', EXECUTION_TABS)} entry={entry} />
  },
})

const ProgramsPage = lazyRouteComponent(() => import('../features/programs/programs-page.tsx'), 'ProgramsPage')
const programs = createRoute({
  getParentRoute: () => root,
  path: '/programs',
  component: ProgramsPage,
})

const ProgramPage = lazyRouteComponent(() => import('../features/programs/program-page.tsx'), 'ProgramPage')
const ProgramExecutions = lazyRouteComponent(
  () => import('../features/executions/list/program-executions.tsx'),
  'ProgramExecutions',
)
const StartForm = lazyRouteComponent(() => import('../features/executions/start/start-form.tsx'), 'StartForm')
const program = createRoute({
  getParentRoute: () => root,
  path: '/programs/$id',
  component: () => {
    const { id } = program.useParams()
    return (
      <ProgramPage
        key={id}
        id={id}
        tab={oneOf(program.useSearch(), 'tab', PROGRAM_TABS)}
        startForm={<StartForm programId={id} />}
        executions={<ProgramExecutions programId={id} />}
      />
    )
  },
})

const VersionPage = lazyRouteComponent(() => import('../features/programs/version-page.tsx'), 'VersionPage')
const version = createRoute({
  getParentRoute: () => root,
  path: '/programs/$id/versions/$number',
  component: () => {
    const { id, number } = version.useParams()
    const parsed = positiveInteger(number)
    const against = positiveInteger(one(version.useSearch(), 'against'))
    if (parsed === undefined) return <NotFound />
    return <VersionPage key={`${id}/${number}`} id={id} number={parsed} against={against} />
  },
})

const WaitingPage = lazyRouteComponent(() => import('../features/waiting/waiting-page.tsx'), 'WaitingPage')
const waiting = createRoute({
  getParentRoute: () => root,
  path: '/waiting',
  component: WaitingPage,
})

const ErrorsPage = lazyRouteComponent(() => import('../features/errors/errors-page.tsx'), 'ErrorsPage')
const errors = createRoute({
  getParentRoute: () => root,
  path: '/errors',
  component: ErrorsPage,
})

const MetricsPage = lazyRouteComponent(() => import('../features/metrics/metrics-page.tsx'), 'MetricsPage')
const metrics = createRoute({
  getParentRoute: () => root,
  path: '/metrics',
  component: () => {
    const search = metrics.useSearch()
    return <MetricsPage span={one(search, 'span')} programId={one(search, 'programId')} />
  },
})

const SettingsPage = lazyRouteComponent(() => import('../features/settings/settings-page.tsx'), 'SettingsPage')
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: SettingsPage,
})

const ProjectsPage = lazyRouteComponent(() => import('../features/projects/projects-page.tsx'), 'ProjectsPage')
const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: ProjectsPage,
})

const NotFound = () => (
  <>
    <PageHeader title="No such page" />
    <EmptyState
      icon={<Compass size={28} aria-hidden="true" />}
      title="There is no such page"
      actions={
        <Link to={paths.executions()} className="text-accent underline">
          Go to Executions
        </Link>
      }
    >
      The address leads nowhere in this dashboard.
    </EmptyState>
  </>
)

const Broken = ({ error, reset }: ErrorComponentProps) => (
  <Fault title="This screen failed" message={error instanceof Error ? error.message : String(error)} onRetry={reset} />
)

const SCREENS = [
  ExecutionPage,
  ProgramsPage,
  ProgramPage,
  VersionPage,
  WaitingPage,
  ErrorsPage,
  MetricsPage,
  SettingsPage,
  ProjectsPage,
]

/** Loads what has not been shown yet, so that every screen can be opened while nobody answers. */
export const loadScreens = async (): Promise<void> => {
  for (const screen of SCREENS) await screen.preload?.()
}

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    executions,
    execution,
    programs,
    program,
    version,
    waiting,
    errors,
    metrics,
    settings,
    projects,
  ]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading what="this screen" />,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Broken,
})

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges with the library's
  interface Register {
    router: typeof router
  }
}

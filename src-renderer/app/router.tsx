// Every route of the dashboard. Every screen belongs to a connection and a project. Screens are loaded when they are
// first shown; the list of Executions, where nearly every visit begins, is loaded with the page itself.

import { createRootRoute, createRoute, createRouter, redirect, type ErrorComponentProps } from '@tanstack/react-router'
import { failureOf } from '../api/failures.ts'
import { SPAN_NAMES } from '../api/metrics-query.ts'
import { readView } from '../features/executions/detail/view.ts'
import { ExecutionsPage } from '../features/executions/list/executions-page.tsx'
import { rememberedFilter } from '../features/executions/list/remembered-filter.ts'
import { filterOf, type ListFilter } from '../features/executions/list/search-filter.ts'
import type { ErrorsPageProps } from '../features/errors/errors-page.tsx'
import type { MetricsPageProps } from '../features/metrics/metrics-page.tsx'
import { OWN_ID } from '../home.ts'
import type { ProgramsPageProps } from '../features/programs/programs-page.tsx'
import { RANGE_NAMES } from '../features/usage/ranges.ts'
import { GROUPINGS, type UsageView } from '../features/usage/usage-view.ts'
import { HostedOnly } from '../parts/hosted-only.tsx'
import { loadedAhead, NotLoaded } from '../parts/loaded-when-shown.ts'
import { USAGE_METRICS } from '../parts/usage-amounts.ts'
import { paths, PLACE, PROGRAM_TABS, type ProgramTab, shownPath, wholePath } from '../paths.ts'
import { rememberedProject } from '../stores/preferences.ts'
import { Fault } from '../ui/fault.tsx'
import { Loading } from '../ui/loading.tsx'
import { ExecutionPlace } from './execution-place.tsx'
import { NotFound } from './not-found.tsx'
import { ScreenNotLoaded } from './screen-not-loaded.tsx'
import { Place } from './place.tsx'
import {
  one,
  oneOf,
  parseSearch,
  positiveInteger,
  someOf,
  stringifySearch,
  type Search,
} from '../parts/search-parameters.ts'

const root = createRootRoute()

const place = createRoute({
  getParentRoute: () => root,
  path: PLACE,
  component: () => <Place {...place.useParams()} />,
})

const home = createRoute({
  getParentRoute: () => place,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ ...paths.executions(rememberedFilter(params)), params, replace: true })
  },
})

const executions = createRoute({
  getParentRoute: () => place,
  path: '/executions',
  validateSearch: filterOf,
  component: ExecutionsPage,
})

const ExecutionPage = loadedAhead(
  async () => (await import('../features/executions/detail/execution-page.tsx')).ExecutionPage,
)
const execution = createRoute({
  getParentRoute: () => place,
  path: '/executions/$id',
  validateSearch: readView,
  component: () => {
    const { id } = execution.useParams()
    const { tab, entry } = execution.useSearch()
    return (
      <ExecutionPlace id={id}>
        <ExecutionPage key={id} id={id} tab={tab ?? 'timeline'} entry={entry} />
      </ExecutionPlace>
    )
  },
})

const ProgramsPage = loadedAhead(async () => (await import('../features/programs/programs-page.tsx')).ProgramsPage)
const programs = createRoute({
  getParentRoute: () => place,
  path: '/programs',
  validateSearch: (search: Search): ProgramsPageProps => ({ q: one(search, 'q') }),
  component: () => <ProgramsPage {...programs.useSearch()} />,
})

const ProgramPage = loadedAhead(async () => (await import('../features/programs/program-page.tsx')).ProgramPage)
const ProgramExecutions = loadedAhead(
  async () => (await import('../features/executions/list/program-executions.tsx')).ProgramExecutions,
)
const StartForm = loadedAhead(async () => (await import('../features/executions/start/start-form.tsx')).StartForm)
const program = createRoute({
  getParentRoute: () => place,
  path: '/programs/$id',
  validateSearch: (search: Search): ListFilter & { readonly tab?: ProgramTab | undefined } => ({
    tab: oneOf(search, 'tab', PROGRAM_TABS),
    ...filterOf(search),
  }),
  component: () => {
    const { id } = program.useParams()
    return (
      <ProgramPage
        key={id}
        id={id}
        tab={program.useSearch().tab ?? 'versions'}
        startForm={<StartForm programId={id} />}
        executions={<ProgramExecutions programId={id} />}
      />
    )
  },
})

const VersionPage = loadedAhead(async () => (await import('../features/programs/version-page.tsx')).VersionPage)
const version = createRoute({
  getParentRoute: () => place,
  path: '/programs/$id/versions/$number',
  validateSearch: (search: Search): { readonly against?: number | undefined } => ({
    against: positiveInteger(one(search, 'against')),
  }),
  component: () => {
    const { id, number } = version.useParams()
    const parsed = positiveInteger(number)
    const { against } = version.useSearch()
    if (parsed === undefined) return <NotFound />
    return <VersionPage key={`${id}/${number}`} id={id} number={parsed} against={against} />
  },
})

const WaitingPage = loadedAhead(async () => (await import('../features/waiting/waiting-page.tsx')).WaitingPage)
const waiting = createRoute({
  getParentRoute: () => place,
  path: '/waiting',
  component: WaitingPage,
})

const ErrorsPage = loadedAhead(async () => (await import('../features/errors/errors-page.tsx')).ErrorsPage)
const errors = createRoute({
  getParentRoute: () => place,
  path: '/errors',
  validateSearch: ({ finishedAfter }: Search): ErrorsPageProps => ({
    finishedAfter: filterOf({ finishedAfter }).finishedAfter,
  }),
  component: () => <ErrorsPage {...errors.useSearch()} />,
})

const MetricsPage = loadedAhead(async () => (await import('../features/metrics/metrics-page.tsx')).MetricsPage)
const metrics = createRoute({
  getParentRoute: () => place,
  path: '/metrics',
  validateSearch: (search: Search): MetricsPageProps => ({
    span: oneOf(search, 'span', SPAN_NAMES),
    programId: one(search, 'programId'),
  }),
  component: () => <MetricsPage {...metrics.useSearch()} />,
})

const TriggersPage = loadedAhead(async () => (await import('../features/triggers/triggers-page.tsx')).TriggersPage)
const triggers = createRoute({
  getParentRoute: () => place,
  path: '/triggers',
  component: TriggersPage,
})

const TriggerPage = loadedAhead(async () => (await import('../features/triggers/trigger-page.tsx')).TriggerPage)
const trigger = createRoute({
  getParentRoute: () => place,
  path: '/triggers/$id',
  component: () => {
    const { id } = trigger.useParams()
    return <TriggerPage key={id} id={id} />
  },
})

const UsagePage = loadedAhead(async () => (await import('../features/usage/usage-page.tsx')).UsagePage)
const usage = createRoute({
  getParentRoute: () => place,
  path: '/usage',
  validateSearch: (search: Search): UsageView => ({
    range: oneOf(search, 'range', RANGE_NAMES),
    from: one(search, 'from'),
    to: one(search, 'to'),
    metric: oneOf(search, 'metric', USAGE_METRICS),
    groupBy: someOf(search, 'groupBy', GROUPINGS),
  }),
  component: () => (
    <HostedOnly title="Usage">
      <UsagePage {...usage.useSearch()} />
    </HostedOnly>
  ),
})

const BillingPage = loadedAhead(async () => (await import('../features/billing/billing-page.tsx')).BillingPage)
const billing = createRoute({
  getParentRoute: () => place,
  path: '/billing',
  component: () => (
    <HostedOnly title="Billing">
      <BillingPage />
    </HostedOnly>
  ),
})

const EnvironmentPage = loadedAhead(
  async () => (await import('../features/environment/environment-page.tsx')).EnvironmentPage,
)
const environment = createRoute({
  getParentRoute: () => place,
  path: '/environment',
  component: () => (
    <HostedOnly
      title="Environment"
      instead="Here, effects find the environment of the process that runs the local runtime, such as wes dev."
    >
      <EnvironmentPage />
    </HostedOnly>
  ),
})

const WorkspacePage = loadedAhead(async () => (await import('../features/workspace/workspace-page.tsx')).WorkspacePage)
const workspace = createRoute({
  getParentRoute: () => place,
  path: '/workspace',
  component: () => (
    <HostedOnly title="Workspace">
      <WorkspacePage />
    </HostedOnly>
  ),
})

const SettingsPage = loadedAhead(async () => (await import('../features/settings/settings-page.tsx')).SettingsPage)
const settings = createRoute({
  getParentRoute: () => place,
  path: '/settings',
  component: SettingsPage,
})

const ProjectsPage = loadedAhead(async () => (await import('../features/projects/projects-page.tsx')).ProjectsPage)
const projects = createRoute({
  getParentRoute: () => place,
  path: '/projects',
  component: ProjectsPage,
})

const Broken = ({ error, reset }: ErrorComponentProps) => {
  if (error instanceof NotLoaded) return <ScreenNotLoaded onRetry={reset} />
  return <Fault title="This screen failed" message={failureOf(error).message} onRetry={reset} />
}

const withPath = (url: URL, path: string): URL => {
  const next = new URL(url)
  next.pathname = path
  return next
}

const wholePathHere = (path: string): string => wholePath(path, rememberedProject(OWN_ID))

/** Replaces old and long addresses by short ones. The router treats them as equal, and so would keep them. */
const shortenAddress = (): void => {
  const { pathname, search, hash } = window.location
  const shown = shownPath(wholePathHere(pathname))
  if (shown !== pathname) window.history.replaceState(window.history.state, '', shown + search + hash)
}
const createRouterHere = () =>
  createRouter({
    routeTree: root.addChildren([
      place.addChildren([
        home,
        executions,
        execution,
        programs,
        program,
        version,
        waiting,
        errors,
        metrics,
        triggers,
        trigger,
        usage,
        billing,
        environment,
        workspace,
        settings,
        projects,
      ]),
    ]),
    parseSearch,
    stringifySearch,
    rewrite: {
      input: ({ url }) => withPath(url, wholePathHere(url.pathname)),
      output: ({ url }) => withPath(url, shownPath(url.pathname)),
    },
    defaultPreload: 'intent',
    // `start` would also move what does not scroll for its users.
    defaultHashScrollIntoView: { block: 'nearest' },
    defaultPendingComponent: () => <Loading what="this screen" />,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: Broken,
  })

let router: ReturnType<typeof createRouterHere> | undefined

/** Reads the address when it is first called: once the session is known, and so which project was shown last. */
export const openRouter = (): NonNullable<typeof router> => {
  if (router === undefined) {
    shortenAddress()
    router = createRouterHere()
  }
  return router
}

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges with the library's
  interface Register {
    router: ReturnType<typeof createRouterHere>
  }
}

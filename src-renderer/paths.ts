// Every address of the dashboard, built in one place. Filters bear the API's names.

export const EXECUTION_TABS = ['timeline', 'history', 'data', 'logs'] as const
export type ExecutionTab = (typeof EXECUTION_TABS)[number]

export const PROGRAM_TABS = ['versions', 'start', 'executions'] as const
export type ProgramTab = (typeof PROGRAM_TABS)[number]

type Parameter = string | number | boolean | undefined | readonly string[]

/** Parameters that are undefined are left out; lists repeat their name. */
const withQuery = (path: string, parameters: Readonly<Record<string, Parameter>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one))
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

export const paths = {
  executions: (filter: Readonly<Record<string, Parameter>> = {}) => withQuery('/executions', filter),
  execution: (id: string, view: { readonly tab?: ExecutionTab; readonly entry?: number } = {}) =>
    withQuery(`/executions/${encodeURIComponent(id)}`, view),
  programs: () => '/programs',
  program: (id: string, view: { readonly tab?: ProgramTab; readonly version?: number } = {}) =>
    withQuery(`/programs/${encodeURIComponent(id)}`, view),
  programVersion: (id: string, number: number, view: { readonly against?: number } = {}) =>
    withQuery(`/programs/${encodeURIComponent(id)}/versions/${number}`, view),
  waiting: () => '/waiting',
  errors: () => '/errors',
  metrics: (range: Readonly<Record<string, Parameter>> = {}) => withQuery('/metrics', range),
  settings: () => '/settings',
  projects: () => '/projects',
} as const

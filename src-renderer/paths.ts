// Builds every screen's address, as options for a link or for `navigate`. An address is `/c/CONNECTION/p/PROJECT/…`;
// `/p/PROJECT/…` is short for the home that serves the page. A link keeps the connection and the project of its screen, unless it
// names others.

import { HOME, OWN_ID } from './home.ts'

export const EXECUTION_TABS = ['timeline', 'history', 'data', 'logs'] as const
export type ExecutionTab = (typeof EXECUTION_TABS)[number]

export const PROGRAM_TABS = ['versions', 'start', 'executions'] as const
export type ProgramTab = (typeof PROGRAM_TABS)[number]

/** The parent route of all screens: a connection and a project. */
export const PLACE = '/c/$connection/p/$project'
const from = PLACE

type Empty = Readonly<Record<never, never>>

/** The router checks each `search` against what the screen's route reads. */
export const paths = {
  /** Addresses in another project of the same connection. */
  project: (project: string) => ({ from, to: PLACE, params: { project } }) as const,
  executions: <const Search extends object = Empty>(search = {} as Search) =>
    ({ from, to: `${PLACE}/executions`, search }) as const,
  execution: <const Search extends object = Empty>(id: string, search = {} as Search) =>
    ({ from, to: `${PLACE}/executions/$id`, params: { id }, search }) as const,
  programs: <const Search extends object = Empty>(search = {} as Search) =>
    ({ from, to: `${PLACE}/programs`, search }) as const,
  program: <const Search extends object = Empty>(id: string, search = {} as Search) =>
    ({ from, to: `${PLACE}/programs/$id`, params: { id }, search }) as const,
  programVersion: (id: string, number: number, search: { readonly against?: number } = {}) =>
    ({ from, to: `${PLACE}/programs/$id/versions/$number`, params: { id, number: String(number) }, search }) as const,
  waiting: () => ({ from, to: `${PLACE}/waiting` }) as const,
  errors: <const Search extends object = Empty>(search = {} as Search) =>
    ({ from, to: `${PLACE}/errors`, search }) as const,
  metrics: <const Search extends object = Empty>(search = {} as Search) =>
    ({ from, to: `${PLACE}/metrics`, search }) as const,
  triggers: () => ({ from, to: `${PLACE}/triggers` }) as const,
  trigger: (id: string) => ({ from, to: `${PLACE}/triggers/$id`, params: { id } }) as const,
  usage: <const Search extends object = Empty>(search = {} as Search) =>
    ({ from, to: `${PLACE}/usage`, search }) as const,
  billing: () => ({ from, to: `${PLACE}/billing` }) as const,
  environment: () => ({ from, to: `${PLACE}/environment` }) as const,
  workspace: () => ({ from, to: `${PLACE}/workspace` }) as const,
  settings: () => ({ from, to: `${PLACE}/settings` }) as const,
  projects: () => ({ from, to: `${PLACE}/projects` }) as const,
} as const

const OWN = `/c/${OWN_ID}`
/** As the hosted service's page called itself before. */
const OLD = /^\/c\/hosted(?=\/p\/)/

/** The short form of an address, where there is one. */
export const shownPath = (path: string): string => (path.startsWith(`${OWN}/p/`) ? path.slice(OWN.length) : path)

/**
 * The full path of an address. A short one belongs to the home that serves the page; one without a project belongs to `project`.
 */
export const wholePath = (path: string, project: string): string => {
  if (/^\/c\/[^/]+\/p\/[^/]+(\/|$)/.test(path)) return HOME === 'hosted' ? path.replace(OLD, OWN) : path
  if (/^\/p\/[^/]+(\/|$)/.test(path)) return OWN + path
  return `${OWN}/p/${encodeURIComponent(project)}${path}`
}

// The options of `npm start` and `npm run dev`.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export type StartOptions = {
  /** `any`: a desktop window if possible. */
  readonly home: 'any' | 'desktop' | 'browser'
  /** An absolute path; undefined for the sample project. */
  readonly project: string | undefined
  /** Undefined for the default port. */
  readonly port: number | undefined
}

export type ParsedStart =
  | { readonly kind: 'run'; readonly options: StartOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }

const OPTIONS = {
  desktop: { type: 'boolean' },
  browser: { type: 'boolean' },
  project: { type: 'string' },
  port: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** npm has a `help`, and a `browser` of its own, which a file .npmrc may set to the name of one. */
const isTaken = (name: string, type: 'boolean' | 'string', value: string | undefined): boolean =>
  name !== 'help' && (type === 'boolean' ? value === 'true' : value !== undefined)

/** Paths are relative to `folder`. `env` tells which options npm took for itself, because no `--` stood in front of them. */
export const parseStart = (args: readonly string[], folder: string, env: NodeJS.ProcessEnv): ParsedStart => {
  const script = env['npm_lifecycle_event']
  const taken = Object.entries(OPTIONS).find(([name, { type }]) => isTaken(name, type, env[`npm_config_${name}`]))?.[0]
  if (taken !== undefined && (script === 'start' || script === 'dev'))
    return wrong(`npm took --${taken} for itself: put -- in front of the options`)
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS })
    if (values.help === true) return { kind: 'help' }
    if (values.desktop === true && values.browser === true) return wrong('--desktop and --browser exclude each other')
    if (values.project === '') return wrong('--project needs a folder')
    const port = values.port === undefined ? undefined : readPort(values.port)
    if (port === null) return wrong(`--port must be a number from 0 to 65535, not "${values.port}"`)
    const project = values.project === undefined ? undefined : resolve(folder, values.project)
    return { kind: 'run', options: { home: homeOf(values), project, port } }
  } catch (error) {
    if (error instanceof TypeError) return wrong(error.message)
    throw error
  }
}

const wrong = (message: string): ParsedStart => ({ kind: 'wrong', message })

const homeOf = ({
  desktop,
  browser,
}: {
  readonly desktop?: boolean
  readonly browser?: boolean
}): StartOptions['home'] => {
  if (desktop === true) return 'desktop'
  return browser === true ? 'browser' : 'any'
}

const readPort = (text: string): number | null => {
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port <= 65_535 ? port : null
}

// What the user asked of `npm start` and `npm run dev`.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export type Wish = {
  /** `any` is a desktop window where there can be one. */
  readonly home: 'any' | 'desktop' | 'browser'
  /** Absolute. Undefined: none was chosen. */
  readonly project: string | undefined
  /** Undefined: the usual one. */
  readonly port: number | undefined
}

export type Request =
  | { readonly kind: 'run'; readonly wish: Wish }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }

const OPTIONS = {
  desktop: { type: 'boolean' },
  browser: { type: 'boolean' },
  project: { type: 'string' },
  port: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** `folder` is where the user is, which paths are relative to. */
export const readRequest = (args: readonly string[], folder: string): Request => {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS })
    if (values.help === true) return { kind: 'help' }
    if (values.desktop === true && values.browser === true) return wrong('--desktop and --browser exclude each other')
    if (values.project === '') return wrong('--project: a folder is expected')
    const port = values.port === undefined ? undefined : readPort(values.port)
    if (port === null) return wrong(`--port: a number from 0 to 65535 is expected, not "${values.port}"`)
    const project = values.project === undefined ? undefined : resolve(folder, values.project)
    return { kind: 'run', wish: { home: homeOf(values), project, port } }
  } catch (error) {
    if (error instanceof TypeError) return wrong(error.message)
    throw error
  }
}

const wrong = (message: string): Request => ({ kind: 'wrong', message })

const homeOf = ({ desktop, browser }: { readonly desktop?: boolean; readonly browser?: boolean }): Wish['home'] => {
  if (desktop === true) return 'desktop'
  return browser === true ? 'browser' : 'any'
}

const readPort = (text: string): number | null => {
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port <= 65_535 ? port : null
}

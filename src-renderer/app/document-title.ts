// The title of each screen, for the browser's tab, its history and screen readers.

import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useConnection } from '../api/connection.ts'
import { PLACE } from '../paths.ts'
import { withEscapes } from '../ui/hidden-characters.ts'

type Parameters = Readonly<Record<string, string | undefined>>

const PRODUCT = 'Workflow Execution Service'

const TITLES: Readonly<Record<string, (parameters: Parameters) => string>> = {
  '/executions': () => 'Executions',
  '/executions/$id': ({ id }) => `${id} – Execution`,
  '/programs': () => 'Programs',
  '/programs/$id': ({ id }) => `${id} – Program`,
  '/programs/$id/versions/$number': ({ id, number }) => `${id} v${number} – Program`,
  '/waiting': () => 'Waiting',
  '/errors': () => 'Errors',
  '/metrics': () => 'Metrics',
  '/triggers': () => 'Triggers',
  '/triggers/$id': ({ id }) => `${id} – Trigger`,
  '/usage': () => 'Usage',
  '/billing': () => 'Billing',
  '/environment': () => 'Environment',
  '/workspace': () => 'Workspace',
  '/settings': () => 'Settings',
  '/projects': () => 'Projects',
}

/** `place` names a saved connection; undefined for the home that serves the page. */
export const titleOf = (routeId: string, parameters: Parameters, place?: string): string =>
  [TITLES[routeId]?.(parameters) ?? 'Page not found', ...(place === undefined ? [] : [place]), PRODUCT].join(' – ')

export const useDocumentTitle = (): void => {
  const { name, address } = useConnection()
  const place = address === undefined ? undefined : name
  const title = useRouterState({
    select: ({ matches }) => {
      const match = matches.at(-1)
      return match === undefined ? undefined : titleOf(match.routeId.slice(PLACE.length), match.params, place)
    },
  })
  useEffect(() => {
    if (title !== undefined) document.title = withEscapes(title)
  }, [title])
}

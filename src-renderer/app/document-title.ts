// The title of each screen, for the browser's tab, its history and screen readers.

import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PLACE } from '../paths.ts'

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
  '/settings': () => 'Settings',
  '/projects': () => 'Projects',
}

export const titleOf = (routeId: string, parameters: Parameters): string =>
  `${TITLES[routeId]?.(parameters) ?? 'Page not found'} – ${PRODUCT}`

export const useDocumentTitle = (): void => {
  const title = useRouterState({
    select: ({ matches }) => {
      const match = matches.at(-1)
      return match === undefined ? undefined : titleOf(match.routeId.slice(PLACE.length), match.params)
    },
  })
  useEffect(() => {
    if (title !== undefined) document.title = title
  }, [title])
}

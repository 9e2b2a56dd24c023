// The title of each screen, for the browser's tab and its history. Screen readers say it when another screen is shown, as for
// another page.

import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { PLACE } from '../paths.ts'
import { withEscapes } from '../ui/hidden-characters.ts'

type Parameters = Readonly<Record<string, string | undefined>>

const PRODUCT = 'Workflow Execution Service'
/** Then it is taken away again, so that nobody finds it on the screen. */
const ANNOUNCED_MS = 1_000

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
const titleOf = (routeId: string, parameters: Parameters, place?: string): string =>
  [TITLES[routeId]?.(parameters) ?? 'Page not found', ...(place === undefined ? [] : [place])].join(' – ')

export const ScreenTitle = () => {
  const { name, address } = useConnection()
  const place = address === undefined ? undefined : name
  const title = useRouterState({
    select: ({ matches }) => {
      const match = matches.at(-1)
      return match === undefined
        ? undefined
        : withEscapes(titleOf(match.routeId.slice(PLACE.length), match.params, place))
    },
  })
  const isFirst = useRef(true)
  const [announced, setAnnounced] = useState('')
  useEffect(() => {
    if (title === undefined) return
    document.title = `${title} – ${PRODUCT}`
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    setAnnounced(title)
    const timer = setTimeout(() => setAnnounced(''), ANNOUNCED_MS)
    return () => clearTimeout(timer)
  }, [title])
  return (
    <p aria-live="polite" className="sr-only">
      {announced}
    </p>
  )
}

// Provides the connection and the project of the address to everything on the page.

import { useQuery } from '@tanstack/react-query'
import { Outlet, useChildMatches } from '@tanstack/react-router'
import { Fragment, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { type Connection, OWN, savedConnection } from '../api/connection.ts'
import { type SavedConnections, useConnections } from '../api/connections.ts'
import { failureOf } from '../api/failures.ts'
import { accessOf } from '../api/known-session.ts'
import { createLiveChanges } from '../api/live-changes.ts'
import { takeStreamPlace } from '../api/stream-place.ts'
import { LiveContext } from '../api/live.ts'
import { useAccess } from '../api/other-access.ts'
import { projectsQuery } from '../api/queries.ts'
import { createScope, projectIdOf, ScopeContext, useScope } from '../api/scope.ts'
import { whoAmIQuery } from '../api/who-am-i.ts'
import { desktop } from '../desktop.ts'
import { PLACE } from '../paths.ts'
import { dismissQuestion } from '../stores/confirmation.ts'
import { closeDialog } from '../stores/dialogs.ts'
import { rememberProject } from '../stores/preferences.ts'
import { Fault } from '../ui/fault.tsx'
import { Loading } from '../ui/loading.tsx'
import { notePlaceOnScreen } from '../ui/toasts.tsx'
import { DesktopBridge } from './desktop-bridge.tsx'
import { Dialogs } from './dialogs.tsx'
import { followWhileSeen } from './follow-while-seen.ts'
import { LiveCache } from './live-cache.ts'
import { NoSuchConnection, NoSuchProject } from './not-found.tsx'
import { WatchSession } from './session-gate.tsx'
import { Shell } from './shell.tsx'

export const Place = (props: { readonly connection: string; readonly project: string }) => {
  const { connection, plain, list, access, error, retry } = useConnectionById(props.connection)
  const content = useContentKey({ ...props, access })
  useDialogsClosedOnChange(content)
  useLayoutEffect(() => notePlaceOnScreen(props.connection), [props.connection])
  if (connection === undefined || plain === undefined) {
    return (
      <main className="flex h-full flex-col">
        <WithoutConnection id={props.connection} list={list} error={error} onRetry={retry} />
        <Dialogs />
        <DesktopBridge />
      </main>
    )
  }
  return (
    <Connected connection={connection} plain={plain} project={props.project}>
      <Shell>
        <InProject id={props.project} content={content} />
      </Shell>
    </Connected>
  )
}

/**
 * Changes where the screen shows another connection or project, or the connection gives other access. An Execution is
 * the same whatever project its address names, because `ExecutionPlace` may correct the project.
 */
const useContentKey = ({
  connection,
  project,
  access,
}: {
  readonly connection: string
  readonly project: string
  readonly access: number
}): string => {
  const executionId = useChildMatches({
    select: ([match]) => (match?.routeId === `${PLACE}/executions/$id` ? match.params.id : undefined),
  })
  return JSON.stringify([connection, access, executionId === undefined ? { project } : { executionId }])
}

/** What was typed into a dialog, or asked, is meant for the connection and the project that were shown. */
const useDialogsClosedOnChange = (content: string): void => {
  const before = useRef(content)
  useLayoutEffect(() => {
    if (before.current === content) return
    before.current = content
    closeDialog()
    dismissQuestion()
  }, [content])
}

const WithoutConnection = ({
  id,
  list,
  error,
  onRetry,
}: {
  readonly id: string
  readonly list: SavedConnections | undefined
  readonly error: Error | null
  readonly onRetry: () => void
}) => {
  if (list !== undefined) return <NoSuchConnection id={id} list={list} />
  if (error === null) return <Loading what="the connection" />
  return <Fault title="The connections could not be loaded" message={failureOf(error).message} onRetry={onRetry} />
}

/** A local address does not wait for the list of connections. */
const useConnectionById = (id: string) => {
  const isOwn = id === OWN.id
  const { data: list, error, refetch } = useConnections(!isOwn)
  const saved = list?.kind === 'known' ? list.items.find((one) => one.id === id) : undefined
  const plain = useMemo(() => (isOwn ? OWN : saved && savedConnection(saved)), [isOwn, saved])
  const { data: who } = useQuery({ ...whoAmIQuery(plain ?? OWN), enabled: plain?.kind === 'hosted' })
  const defaultProjectId = who?.defaultProjectId
  const workspace = who?.workspace.name
  const connection = useMemo(
    () => plain && { ...plain, workspace, ...(defaultProjectId !== undefined && { defaultProjectId }) },
    [plain, workspace, defaultProjectId],
  )
  const access = useAccessChanges(id, saved?.address, who ? accessOf(who) : undefined)
  return { connection, plain, list, access, error, retry: () => void refetch() }
}

/**
 * Counts how often a saved connection has become another one while it was shown. Another tab may remove it, give its
 * name to another service, or replace its token by one of another workspace.
 */
const useAccessChanges = (id: string, address: string | undefined, access: string | undefined): number => {
  const [known, setKnown] = useState({ id, address, access, changes: 0 })
  const isShown = known.id === id && known.address !== undefined
  const isOther =
    isShown && (address !== known.address || (known.access !== undefined && (access ?? known.access) !== known.access))
  const now = {
    id,
    address,
    // Unknown while it is read again.
    access: access ?? (isShown && !isOther ? known.access : undefined),
    changes: known.changes + (isOther ? 1 : 0),
  }
  if (known.id !== id || known.address !== address || known.access !== now.access) setKnown(now)
  return now.changes
}

/** A browser page has no desktop app, and so gets no such message. */
const onDesktopReady = (listener: () => void): (() => void) =>
  desktop?.runtime.onState(({ kind }) => kind === 'ready' && listener()) ?? (() => {})

const Connected = ({
  connection,
  plain,
  project,
  children,
}: {
  readonly connection: Connection
  /** Without what its service says, so that its stream of changes does not begin again then. */
  readonly plain: Connection
  readonly project: string
  readonly children: ReactNode
}) => {
  const access = useAccess(connection.id)
  const scope = useMemo(
    () => createScope(connection, projectIdOf(project, connection), access),
    [connection, project, access],
  )
  const live = useMemo(() => createLiveChanges(createScope(plain, null), takeStreamPlace), [plain])
  useEffect(() => followWhileSeen(live, onDesktopReady), [live])
  return (
    <ScopeContext value={scope}>
      <LiveContext value={live}>
        <LiveCache />
        <WatchSession />
        {children}
      </LiveContext>
    </ScopeContext>
  )
}

/** An Execution is found whatever project the address names; every other screen needs a project that exists. */
const InProject = ({ id, content }: { readonly id: string; readonly content: string }) => {
  const scope = useScope()
  const { data: projects } = useQuery(projectsQuery(scope))
  const isExecution = useChildMatches({ select: (matches) => matches[0]?.routeId === `${PLACE}/executions/$id` })
  const isMissing = projects !== undefined && scope.projectId !== null && projects.every((project) => project.id !== id)
  useEffect(() => {
    // Short addresses lead to the project that was looked at last.
    if (projects !== undefined && !isExecution) rememberProject(scope.connection.id, isMissing ? null : scope.projectId)
  }, [projects, isExecution, isMissing, scope.connection.id, scope.projectId])
  if (isMissing && !isExecution) return <NoSuchProject id={id} />
  // The router keeps a screen, and so its dialogs and what was typed, while only the address's parameters change.
  return (
    <Fragment key={content}>
      <Outlet />
    </Fragment>
  )
}

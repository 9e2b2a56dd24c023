// Provides the connection and the project of the address to everything on the page.

import { useQuery } from '@tanstack/react-query'
import { Outlet, useChildMatches } from '@tanstack/react-router'
import { useEffect, useMemo, type ReactNode } from 'react'
import { type Connection, OWN } from '../api/connection.ts'
import { createLiveChanges } from '../api/live-changes.ts'
import { LiveContext } from '../api/live.ts'
import { projectsQuery } from '../api/queries.ts'
import { createScope, projectIdOf, ScopeContext, useScope } from '../api/scope.ts'
import { whoAmIQuery } from '../api/who-am-i.ts'
import { desktop } from '../desktop.ts'
import { PLACE } from '../paths.ts'
import { usePreferences } from '../stores/preferences.ts'
import { followWhileSeen } from './follow-while-seen.ts'
import { LiveCache } from './live-cache.ts'
import { NoSuchConnection, NoSuchProject } from './not-found.tsx'
import { WatchSession } from './session-gate.tsx'
import { Shell } from './shell.tsx'

export const Place = (props: { readonly connection: string; readonly project: string }) => {
  const connection = useConnectionById(props.connection)
  if (connection === undefined) {
    return (
      <main className="flex h-full flex-col">
        <NoSuchConnection id={props.connection} />
      </main>
    )
  }
  return (
    <Connected connection={connection} project={props.project}>
      <Shell>
        <InProject id={props.project} />
      </Shell>
    </Connected>
  )
}

const useConnectionById = (id: string): Connection | undefined => {
  const connection = id === OWN.id ? OWN : undefined
  const { data: who } = useQuery({ ...whoAmIQuery(connection ?? OWN), enabled: connection?.kind === 'hosted' })
  const defaultProjectId = who?.defaultProjectId
  const workspace = who?.workspace.name
  return useMemo(
    () => connection && { ...connection, workspace, ...(defaultProjectId !== undefined && { defaultProjectId }) },
    [connection, workspace, defaultProjectId],
  )
}

/** A browser page has no desktop app, and so gets no such message. */
const onDesktopReady = (listener: () => void): (() => void) =>
  desktop?.runtime.onState(({ kind }) => kind === 'ready' && listener()) ?? (() => {})

const Connected = ({
  connection,
  project,
  children,
}: {
  readonly connection: Connection
  readonly project: string
  readonly children: ReactNode
}) => {
  const scope = useMemo(() => createScope(connection, projectIdOf(project, connection)), [connection, project])
  const live = useMemo(() => createLiveChanges(createScope(connection, null)), [connection])
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
const InProject = ({ id }: { readonly id: string }) => {
  const scope = useScope()
  const { data: projects } = useQuery(projectsQuery(scope))
  const isExecution = useChildMatches({ select: (matches) => matches[0]?.routeId === `${PLACE}/executions/$id` })
  const isMissing = projects !== undefined && scope.projectId !== null && projects.every((project) => project.id !== id)
  useEffect(() => {
    // Short addresses lead to the project that was looked at last.
    if (projects !== undefined && !isExecution)
      usePreferences.setState({ projectId: isMissing ? null : scope.projectId })
  }, [projects, isExecution, isMissing, scope.projectId])
  return isMissing && !isExecution ? <NoSuchProject id={id} /> : <Outlet />
}

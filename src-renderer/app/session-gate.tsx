// On the page of the hosted service: asks for a token until there is a session.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { WhoAmI } from '#sdk/index.ts'
import { OWN } from '../api/connection.ts'
import { failureOf } from '../api/failures.ts'
import { forgetSession } from '../api/hosted-session.ts'
import { accessOf, onOtherTab } from '../api/known-session.ts'
import { useLiveness, useRetry } from '../api/live.ts'
import { whoAmIQuery } from '../api/who-am-i.ts'
import { HOME } from '../home.ts'
import { dismissQuestion } from '../stores/confirmation.ts'
import { closeDialog } from '../stores/dialogs.ts'
import { Fault } from '../ui/fault.tsx'
import { Loading } from '../ui/loading.tsx'

const loadSignIn = () => import('./sign-in.tsx')

const AGAIN_AFTER_MS = 2_000

/** Tries until it is loaded: a reload would lose what was typed before the session ended. */
const untilLoaded = async (): ReturnType<typeof loadSignIn> => {
  for (;;) {
    const loaded = await loadSignIn().catch(() => undefined)
    if (loaded !== undefined) return loaded
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS))
  }
}

const SignIn = lazy(async () => ({ default: (await untilLoaded()).SignIn }))

/** Loads what a lost session needs. */
export const loadSession = async (): Promise<void> => {
  if (HOME === 'hosted') await loadSignIn()
}

export const SessionGate = ({ children }: { readonly children: ReactNode }) =>
  HOME === 'local' ? children : <Gate>{children}</Gate>

/**
 * Once there was a session, the page stays while nothing answers. It stays too, covered, when the session is lost, so
 * that what was typed is still there for the next session with the same access.
 */
const Gate = ({ children }: { readonly children: ReactNode }) => {
  const { data: who, error, refetch } = useQuery(whoAmIQuery(OWN))
  const queries = useQueryClient()
  useEffect(
    () => onOtherTab((isSignedOut) => void (isSignedOut ? forgetSession(queries) : refetch())),
    [queries, refetch],
  )
  const [last, setLast] = useState<WhoAmI>()
  if (who !== null && who !== last) setLast(who)
  if (last !== undefined) {
    return (
      <Session who={last} isLost={who === null}>
        {children}
      </Session>
    )
  }
  if (who === null) {
    return (
      <Suspense fallback={<Loading what="the sign-in" />}>
        <SignIn />
      </Suspense>
    )
  }
  if (error === null) return <Loading what="your session" />
  const { kind, message, code } = failureOf(error)
  return (
    <main className="flex h-full flex-col">
      <Fault
        title={kind === 'offline' ? 'The service does not answer' : 'Your session could not be loaded'}
        message={message}
        code={code}
        onRetry={() => void refetch()}
      />
    </main>
  )
}

const Session = ({
  who,
  isLost,
  children,
}: {
  readonly who: WhoAmI
  readonly isLost: boolean
  readonly children: ReactNode
}) => {
  const access = accessOf(who)
  useEffect(
    () => () => {
      closeDialog()
      dismissQuestion()
    },
    [access],
  )
  return (
    <>
      <Fragment key={access}>{children}</Fragment>
      {isLost && (
        <Suspense
          fallback={
            <div className="fixed inset-0 z-50 flex bg-page">
              <Loading what="the sign-in" />
            </div>
          }
        >
          <SignIn isAgain />
        </Suspense>
      )}
    </>
  )
}

/** The service refuses the page's session: it has ended, or its token was revoked. */
export const WatchSession = () => {
  const liveness = useLiveness()
  const queries = useQueryClient()
  useEffect(() => {
    if (HOME === 'hosted' && liveness === 'refused') {
      void queries.invalidateQueries({ queryKey: whoAmIQuery(OWN).queryKey })
    }
  }, [liveness, queries])
  const { data: who } = useQuery({ ...whoAmIQuery(OWN), enabled: HOME === 'hosted' })
  const retry = useRetry()
  useEffect(() => {
    // Signed in again: the stream waits for no later attempt, and so notices when this session is lost too.
    if (who) retry()
  }, [who, retry])
  return null
}

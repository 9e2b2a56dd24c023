// On the page of the hosted service: asks for a token until there is a session.

import { Dialog } from '@base-ui/react/dialog'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { Fragment, type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react'
import type { WhoAmI } from '#sdk/index.ts'
import { OWN } from '../api/connection.ts'
import { failureOf } from '../api/failures.ts'
import { signIn } from '../api/hosted-session.ts'
import { accessOf, onOtherTab } from '../api/known-session.ts'
import { useLiveness, useRetry } from '../api/live.ts'
import { whoAmIQuery } from '../api/who-am-i.ts'
import { HOME } from '../home.ts'
import { usePrivateAct } from '../parts/use-private-act.ts'
import { dismissQuestion } from '../stores/confirmation.ts'
import { closeDialog } from '../stores/dialogs.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Fault } from '../ui/fault.tsx'
import { Field, TextInput } from '../ui/field.tsx'
import { Loading } from '../ui/loading.tsx'

export const SessionGate = ({ children }: { readonly children: ReactNode }) =>
  HOME === 'local' ? children : <Gate>{children}</Gate>

/**
 * Once there was a session, the page stays while nothing answers. It stays too, covered, when the session is lost, so
 * that what was typed is still there for the next session with the same access.
 */
const Gate = ({ children }: { readonly children: ReactNode }) => {
  const { data: who, error, refetch } = useQuery(whoAmIQuery(OWN))
  useEffect(() => onOtherTab(() => void refetch()), [refetch])
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
      <main className={FULL}>
        <SignIn />
      </main>
    )
  }
  if (error === null) return <Loading what="your session" />
  return (
    <main className="flex h-full flex-col">
      <Fault title="The service does not answer" message={failureOf(error).message} onRetry={() => void refetch()} />
    </main>
  )
}

const FULL = 'flex h-full items-center justify-center overflow-auto bg-page p-4'

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
      {/* A dialog, so that it takes the focus from an open one. */}
      <Dialog.Root open={isLost}>
        <Dialog.Portal>
          <Dialog.Popup aria-label="Sign in" className={classNames('fixed inset-0 z-50', FULL)}>
            <SignIn isAgain />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
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

/** `isAgain`: the session before has ended. */
const SignIn = ({ isAgain = false }: { readonly isAgain?: boolean }) => {
  const queries = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const act = usePrivateAct()
  useEffect(() => {
    input.current?.focus()
  }, [])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const token = input.current?.value.trim() ?? ''
    if (token === '' || act.isBusy) return
    void act
      .run(() => signIn(queries, token))
      .finally(() => {
        // Accepted or not, a token does not stay on the page.
        if (input.current !== null) input.current.value = ''
        input.current?.focus()
      })
  }
  return (
    <form onSubmit={submit} className="flex w-full max-w-96 flex-col gap-4">
      <div>
        <h1 className="flex items-center gap-2 text-lg font-semibold">
          <KeyRound size={18} aria-hidden="true" className="text-soft" />
          Sign in
        </h1>
        <p className="text-soft">Workflow Execution Service at {window.location.host}</p>
      </div>
      {isAgain && (
        <p role="status" className="rounded-md bg-waiting-wash px-3 py-1.5 text-waiting">
          Your session has ended: its token was revoked or has expired, or you signed out in another tab. Sign in again.
          What you typed is kept if the token has the same workspace and the same role.
        </p>
      )}
      <Field
        label="Token"
        hint="It begins with wes_. An admin of your workspace creates tokens; the service printed the first one when it was started for the first time."
        fault={act.fault}
      >
        <TextInput ref={input} type="password" name="token" autoComplete="off" spellCheck={false} required />
      </Field>
      <Button type="submit" kind="primary" busy={act.isBusy} className="h-8 justify-center">
        Sign in
      </Button>
    </form>
  )
}

// On the page of the hosted service: asks for a token until there is a session.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useEffect, useRef } from 'react'
import { OWN } from '../api/connection.ts'
import { failureOf } from '../api/failures.ts'
import { signIn } from '../api/hosted-session.ts'
import { useLiveness } from '../api/live.ts'
import { whoAmIQuery } from '../api/who-am-i.ts'
import { HOME } from '../home.ts'
import { usePrivateAct } from '../parts/use-private-act.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/fault.tsx'
import { Field, TextInput } from '../ui/field.tsx'
import { Loading } from '../ui/loading.tsx'

export const SessionGate = ({ children }: { readonly children: ReactNode }) =>
  HOME === 'local' ? children : <Gate>{children}</Gate>

/** Once there was a session, the page stays while nothing answers. */
const Gate = ({ children }: { readonly children: ReactNode }) => {
  const { data: who, error, refetch } = useQuery(whoAmIQuery(OWN))
  if (who === null) return <SignIn />
  if (who !== undefined) return children
  if (error === null) return <Loading what="your session" />
  return (
    <main className="flex h-full flex-col">
      <Fault title="The service does not answer" message={failureOf(error).message} onRetry={() => void refetch()} />
    </main>
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
  return null
}

const SignIn = () => {
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
    <main className="flex h-full items-center justify-center overflow-auto p-4">
      <form onSubmit={submit} className="flex w-full max-w-96 flex-col gap-4">
        <div>
          <h1 className="flex items-center gap-2 text-lg font-semibold">
            <KeyRound size={18} aria-hidden="true" className="text-soft" />
            Sign in
          </h1>
          <p className="text-soft">Workflow Execution Service at {window.location.host}</p>
        </div>
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
    </main>
  )
}

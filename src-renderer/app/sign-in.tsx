// The form for a token, on the page of the hosted service. Loaded when somebody has to sign in.

import { Dialog } from '@base-ui/react/dialog'
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type SubmitEvent, useEffect, useRef } from 'react'
import { signIn } from '../api/sign-in.ts'
import { usePrivateAct } from '../parts/use-private-act.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Field, TextInput } from '../ui/field.tsx'

const FULL = 'flex h-full items-center justify-center overflow-auto bg-page p-4'

/** `isAgain`: the session before has ended. The page stays below. */
export const SignIn = ({ isAgain = false }: { readonly isAgain?: boolean }) =>
  isAgain ? (
    // A dialog, so that it takes the focus from an open one.
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Popup aria-label="Sign in" className={classNames('fixed inset-0 z-50', FULL)}>
          <Form isAgain />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  ) : (
    <main className={FULL}>
      <Form />
    </main>
  )

const Form = ({ isAgain = false }: { readonly isAgain?: boolean }) => {
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
          <KeyRound size={18} className="text-soft" />
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
        hint="It begins with wes_. Ask an admin of your workspace for one. The service printed the first one when it was started for the first time."
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

// Creates a token, and shows its secret once. The secret is in this dialog only: in no cache, address or storage, and
// gone when the dialog closes.

import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { CreatedToken, Role } from '#sdk/index.ts'
import { tokensQuery } from '../../api/account-queries.ts'
import { useScope } from '../../api/scope.ts'
import { serviceNow } from '../../api/service-clock.ts'
import { At } from '../../parts/time.tsx'
import { usePrivateAct } from '../../parts/use-private-act.ts'
import { useSnippetTarget } from '../../parts/use-snippet-target.ts'
import { useStayWhile } from '../../parts/use-stay-while.ts'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useDialogForm } from '../../parts/use-dialog-form.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { EXPIRIES, EXPIRY_NAMES, expiresAt, type Expiry } from './expiry.ts'

const LONGEST_NAME = 80

const ROLES: readonly { readonly role: Role; readonly may: string }[] = [
  { role: 'read', may: 'Can read everything except tokens.' },
  {
    role: 'write',
    may: 'Can also deploy Programs, start, cancel and delete Executions, send events, and change Triggers.',
  },
  { role: 'admin', may: 'Can also create projects, set environment variables, and manage tokens and the workspace.' },
]

export const CreateTokenDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const scope = useScope()
  const queries = useQueryClient()
  const [created, setCreated] = useState<CreatedToken>()
  const act = usePrivateAct()
  const close = useStayWhile(act.isBusy, onClose)
  const form = useId()
  const create = (token: { readonly name: string; readonly role: Role; readonly expiresAt?: Date }) =>
    void act.run(async () => {
      try {
        setCreated(await scope.anyProject.createToken(token))
      } finally {
        // Without an answer, it may have been created.
        void queries.invalidateQueries({ queryKey: tokensQuery(scope).queryKey })
      }
    })
  return (
    <Dialog
      onClose={close}
      title={created === undefined ? 'Create token' : 'Token created'}
      size="small"
      closesByButtonOnly={created !== undefined}
      footer={
        created === undefined ? (
          <>
            <Button onClick={close}>Close</Button>
            <SubmitButton form={form} busy={act.isBusy}>
              Create token
            </SubmitButton>
          </>
        ) : (
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        )
      }
    >
      {created === undefined ? <TokenForm id={form} fault={act.fault} onCreate={create} /> : <Secret token={created} />}
    </Dialog>
  )
}

const TokenForm = ({
  id,
  fault,
  onCreate,
}: {
  readonly id: string
  readonly fault: string | undefined
  readonly onCreate: (token: { readonly name: string; readonly role: Role; readonly expiresAt?: Date }) => void
}) => {
  const scope = useScope()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('write')
  const [expiry, setExpiry] = useState<Expiry>('90')
  const [day, setDay] = useState('')
  const [missing, setMissing] = useState<{ readonly name?: string; readonly day?: string }>({})
  const form = useDialogForm(() => {
    const expires = expiresAt(expiry, day, serviceNow(scope.connection))
    const wanted = name.trim()
    setMissing({
      ...(wanted === '' && { name: 'Enter a name' }),
      ...(expires.kind === 'fault' && { day: expires.fault }),
    })
    if (wanted === '' || expires.kind === 'fault') return
    onCreate({ name: wanted, role, ...(expires.kind === 'at' && { expiresAt: expires.at }) })
  })
  return (
    <form {...form} id={id} noValidate className="flex flex-col gap-4">
      <Field label="Name" hint="Where it is used, such as ci or billing-service." fault={missing.name ?? fault}>
        <TextInput
          value={name}
          maxLength={LONGEST_NAME}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1 font-medium">Role</legend>
        {ROLES.map((one) => (
          <div key={one.role} className="flex items-start gap-2">
            <input
              type="radio"
              id={`${id}-${one.role}`}
              aria-describedby={`${id}-${one.role}-may`}
              name={`${id}-role`}
              value={one.role}
              checked={role === one.role}
              onChange={() => setRole(one.role)}
              className="mt-1 accent-accent"
            />
            <div>
              <label htmlFor={`${id}-${one.role}`} className="block font-medium">
                {one.role}
              </label>
              <span id={`${id}-${one.role}-may`} className="block text-xs text-soft">
                {one.may}
              </span>
            </div>
          </div>
        ))}
      </fieldset>
      <div className="flex flex-wrap items-end gap-3">
        <div className="flex flex-col gap-1">
          <span className="font-medium">Expires</span>
          <Select
            label="Expires"
            value={expiry}
            options={EXPIRY_NAMES.map((value) => ({ value, label: EXPIRIES[value] }))}
            onChange={setExpiry}
            className="w-36"
          />
        </div>
        {expiry === 'day' && (
          <Field label="Last day (UTC)" fault={missing.day}>
            <TextInput type="date" value={day} onChange={(event) => setDay(event.currentTarget.value)} />
          </Field>
        )}
        {expiry === 'never' && <p className="pb-1 text-xs text-soft">Valid until it is revoked.</p>}
      </div>
    </form>
  )
}

const Secret = ({ token }: { readonly token: CreatedToken }) => {
  const { url } = useSnippetTarget()
  const snippet = `SERVICE_API_BASE_URL=${url}\nSERVICE_TOKEN=wes_…`
  return (
    <div className="flex flex-col gap-4">
      <p role="status">Copy the token now. It is not shown again after you close this dialog.</p>
      <Field label={`Token ${token.name}`} hint={<Facts token={token} />}>
        <div className="flex items-center gap-1">
          <TextInput
            readOnly
            value={token.secret}
            spellCheck={false}
            autoComplete="off"
            className="min-w-0 flex-1 font-mono text-xs"
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton label="Copy the token" text={token.secret} isFirst />
        </div>
      </Field>
      <div>
        <p className="mb-1 text-soft">The clients and the command line read it from the environment:</p>
        <div className="flex items-start gap-1 rounded-md bg-sunken px-2 py-1.5">
          <pre tabIndex={0} className="min-w-0 flex-1 font-mono text-xs break-all whitespace-pre-wrap">
            {snippet}
          </pre>
          <CopyButton label="Copy the lines without the token" text={snippet} />
        </div>
      </div>
    </div>
  )
}

const Facts = ({ token }: { readonly token: CreatedToken }) => (
  <>
    {token.id} · {token.role} ·{' '}
    {token.expiresAt === undefined ? (
      'never expires'
    ) : (
      <>
        expires <At at={token.expiresAt} />
      </>
    )}
  </>
)

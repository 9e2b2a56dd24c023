// "Connect to hosted": name, address and token of a hosted service. The connection is tested before it is saved.

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type RefObject, useRef, useState } from 'react'
import type { ConnectionColour, ConnectionTestResult, Keep, Storing } from '#runtime/connections/models.ts'
import { testProblem } from '../../../api/connection-problems.ts'
import { addConnection, useConnections } from '../../../api/connections.ts'
import { type Failure, failureOf } from '../../../api/failures.ts'
import { COLOURS } from '../../../parts/connection-look.ts'
import { focusScreen } from '../../../ui/focus-screen.ts'
import { SubmitButton } from '../../../parts/submit-button.tsx'
import { useShowConnection } from '../../../parts/use-show-connection.ts'
import { useDialogForm } from '../../../parts/use-dialog-form.ts'
import { PLACE } from '../../../paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Field, TextInput } from '../../../ui/field.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { firstKeep, KeepChoice, keepHint, keptOtherwise } from './keep-choice.tsx'
import { ColourField, type Look, NameField, ProductionField } from './look-fields.tsx'
import { NoSession } from './no-session.tsx'
import { clearToken, TokenField, useTokenField } from './token-field.tsx'
import { useConnectionTest } from './use-connection-test.ts'
import { visible } from '../../../ui/visible.tsx'

const TITLE = 'Connect to hosted'

type ConnectDialogProps = {
  readonly name?: string | undefined
  /** Returns whether it was still open. */
  readonly onClose: () => boolean
}

export const ConnectDialog = (props: ConnectDialogProps) => {
  const { data: list, error, refetch } = useConnections()
  if (list?.kind === 'known') {
    const used = list.items.map(({ colour }) => colour)
    return <ConnectForm {...props} storing={list.storing} colour={freeColour(used)} />
  }
  return (
    <Dialog onClose={props.onClose} title={TITLE} size="small">
      {list !== undefined && <NoSession kind={list.kind} />}
      {list === undefined && error === null && <Loading what="the connections" />}
      {list === undefined && error !== null && (
        <Fault
          title="The connections could not be loaded"
          message={failureOf(error).message}
          onRetry={() => void refetch()}
        />
      )}
    </Dialog>
  )
}

/** A colour that no other connection uses, while there is one. */
const freeColour = (used: readonly ConnectionColour[]): ConnectionColour =>
  (COLOURS.find(({ colour }) => !used.includes(colour)) ?? COLOURS[used.length % COLOURS.length]!).colour

type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'testing' | 'saving' }
  | { readonly kind: 'passed'; readonly found: ConnectionTestResult }
  | { readonly kind: 'refused'; readonly what: 'test' | 'save'; readonly failure: Failure }

const NONE: Outcome = { kind: 'none' }

const ConnectForm = ({
  name,
  storing,
  colour,
  onClose,
}: ConnectDialogProps & { readonly storing: Storing; readonly colour: ConnectionColour }) => {
  const [look, setLook] = useState<Look>({ name: name ?? '', colour, isProduction: false })
  const [address, setAddress] = useState('')
  const [keep, setKeep] = useState<Keep>(firstKeep(storing))
  const [attempted, setAttempted] = useState<'test' | 'connect'>()
  const tokenField = useTokenField()
  const { outcome, test, connect, forget } = useConnect(tokenField, name !== undefined, onClose)
  const busy = outcome.kind === 'testing' || outcome.kind === 'saving'
  const missing = (text: string, what: string) => (text.trim() === '' ? `Enter ${what}` : undefined)
  const [isTokenMissing, setTokenMissing] = useState(false)

  /** Whether everything that is needed is filled in. Each field that is not gets its fault. */
  const isWhole = (toDo: 'test' | 'connect'): boolean => {
    setAttempted(toDo)
    const hasToken = tokenField.current?.value.trim() !== ''
    setTokenMissing(!hasToken)
    return hasToken && address.trim() !== '' && (toDo === 'test' || look.name.trim() !== '')
  }
  const testNow = () => {
    if (!busy && isWhole('test')) void test(address.trim())
  }
  const connectNow = (anyway = false) => {
    if (!busy && isWhole('connect'))
      void connect({ ...look, name: look.name.trim(), address: address.trim(), keep }, anyway)
  }
  const isTestAsked = useRef(false)
  const form = useDialogForm(() => {
    const act = isTestAsked.current ? testNow : connectNow
    isTestAsked.current = false
    act()
  })
  /** As a submission, which moves the focus to the first field with a fault. */
  const askForTest = () => {
    isTestAsked.current = true
    form.ref.current?.requestSubmit()
  }
  return (
    <Dialog
      onClose={onClose}
      title={TITLE}
      description="Adds a hosted service, so that this dashboard can show its Executions too."
      size="small"
      footer={
        <>
          <Button className="mr-auto" busy={outcome.kind === 'testing'} onClick={askForTest}>
            Test connection
          </Button>
          <Button onClick={onClose}>Close</Button>
          <SubmitButton form={form.id} busy={busy}>
            Connect
          </SubmitButton>
        </>
      }
    >
      <form {...form} className="flex flex-col gap-4">
        <OutcomeNotice outcome={outcome} address={address} onAnyway={() => connectNow(true)} />
        <NameField
          look={look}
          onChange={(next) => {
            setLook(next)
            forget('save')
          }}
          fault={
            (attempted === 'connect' ? missing(look.name, 'a name') : undefined) ??
            faultAt(outcome, 'connection_exists')
          }
        />
        <Field
          label="Address"
          fault={
            (attempted === undefined ? undefined : missing(address, 'the address of the service')) ??
            faultAt(outcome, 'invalid_address')
          }
        >
          <TextInput
            value={address}
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="https://wes.example.com"
            onChange={(event) => {
              setAddress(event.currentTarget.value)
              forget('all')
            }}
          />
        </Field>
        <TokenField
          field={tokenField}
          onChange={() => {
            setTokenMissing(false)
            forget('all')
          }}
          hint={`It begins with wes_. An admin of your workspace creates tokens. ${keepHint(storing)}`}
          fault={isTokenMissing && outcome.kind === 'none' ? 'Enter a token' : undefined}
        />
        {storing === 'obfuscated' && <KeepChoice keep={keep} onChoose={setKeep} />}
        <ColourField look={look} onChange={setLook} />
        <ProductionField look={look} onChange={setLook} />
      </form>
    </Dialog>
  )
}

type Wanted = Look & { readonly address: string; readonly keep: Keep }

/**
 * The token goes from its field into requests: it is read once, so that the one that was tested is saved. It stays in the
 * field until it is saved or refused. `isAwaited`: the address of the screen names a connection that is to be added.
 */
const useConnect = (field: RefObject<HTMLInputElement | null>, isAwaited: boolean, onClose: () => boolean) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const showConnection = useShowConnection()
  const shown = useParams({ from: PLACE, shouldThrow: false })?.connection
  const [outcome, setOutcome] = useState<Outcome>(NONE)
  const tests = useConnectionTest()
  const readToken = () => field.current?.value.trim() ?? ''

  const refused = (what: 'test' | 'save', error: unknown) => {
    const failure = failureOf(error)
    if (failure.code === 'unauthorized') clearToken(field.current)
    setOutcome({ kind: 'refused', what, failure })
  }
  /** undefined if it failed, or was cancelled. */
  const passes = async (address: string, token: string): Promise<ConnectionTestResult | undefined> => {
    setOutcome({ kind: 'testing' })
    try {
      return await tests.test({ address, token })
    } catch (error) {
      refused('test', error)
      return undefined
    }
  }
  const test = async (address: string): Promise<void> => {
    const found = await passes(address, readToken())
    if (found !== undefined) setOutcome({ kind: 'passed', found })
  }
  const connect = async (wanted: Wanted, anyway: boolean): Promise<void> => {
    const token = readToken()
    if (!anyway && (await passes(wanted.address, token)) === undefined) return
    setOutcome({ kind: 'saving' })
    try {
      const made = await addConnection(queries, { ...wanted, token })
      clearToken(field.current)
      notify(`Connected to ${made.name}`, { detail: keptOtherwise(wanted.keep, made.token) })
      if (!onClose()) return
      // The address of the screen may have waited for this connection, perhaps under another id.
      if (isAwaited) {
        await navigate({ to: '.', params: { connection: made.id }, search: true, hash: true, replace: true })
      } else if (shown !== made.id) await showConnection(made.id)
      focusScreen()
    } catch (error) {
      refused('save', error)
    }
  }
  /** The fields have changed since the test, so its result does not apply any more. What is being saved was tested. */
  const forget = (what: 'all' | 'save') => {
    if (what === 'all') tests.cancel()
    setOutcome((before) => {
      const isForgotten =
        what === 'all' ? before.kind !== 'saving' : before.kind === 'refused' && before.what === 'save'
      return isForgotten ? NONE : before
    })
  }
  return { outcome, test, connect, forget }
}

type CodeOfField = 'connection_exists' | 'invalid_address'
/** They are shown at the field that has the fault. */
const CODES_OF_FIELDS: ReadonlySet<string> = new Set<CodeOfField>(['connection_exists', 'invalid_address'])

const faultAt = (outcome: Outcome, code: CodeOfField): string | undefined =>
  outcome.kind === 'refused' && outcome.failure.code === code ? outcome.failure.message : undefined

const OutcomeNotice = ({
  outcome,
  address,
  onAnyway,
}: {
  readonly outcome: Outcome
  readonly address: string
  readonly onAnyway: () => void
}) => {
  if (outcome.kind === 'passed') {
    return (
      <div key="passed" ref={intoView}>
        <TestPassed found={outcome.found} />
      </div>
    )
  }
  if (outcome.kind !== 'refused' || CODES_OF_FIELDS.has(outcome.failure.code)) return null
  const { title, message, mayBeSaved } = testProblem(outcome.failure, address, FAILED[outcome.what])
  return (
    <div key="refused" ref={intoView} className="scroll-m-5">
      <Fault className="m-0" title={title} message={message}>
        {mayBeSaved && (
          <Button className="mt-2" onClick={onAnyway}>
            Save anyway
          </Button>
        )}
      </Fault>
    </div>
  )
}

const FAILED = { test: 'The test failed', save: 'The connection was not saved' } as const

/** The buttons are below the form, the result of a test is above. */
const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

const TestPassed = ({ found: { whoAmI, project } }: { readonly found: ConnectionTestResult }) => (
  <div role="status" className="rounded-md border border-completed/40 bg-completed-wash px-3 py-2">
    <p className="font-semibold text-completed">The connection works</p>
    <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-soft">
      <dt>Workspace</dt>
      <dd className="break-words text-ink">{visible(whoAmI.workspace.name)}</dd>
      <dt>Role</dt>
      <dd className="text-ink">{whoAmI.token.role}</dd>
      <dt>Project</dt>
      <dd className="break-words text-ink">{visible(project.name)}</dd>
    </dl>
  </div>
)

// "Send event": what the Execution waits for comes first, then what its Program declares; any other name may be typed.

import { type QueryKey, useMutation, useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Execution, ProgramManifest } from '#sdk/index.ts'
import { executionCannot, GONE } from '../../../api/capabilities.ts'
import { failureOf } from '../../../api/failures.ts'
import { executionQuery, versionsQuery } from '../../../api/queries.ts'
import { createScope, projectIdOf, useScope } from '../../../api/scope.ts'
import { useQueryKeepingError } from '../../../api/use-query-keeping-error.ts'
import { stringifyExactJson } from '../../../exact-json.ts'
import { ownMember } from '../../../own-member.ts'
import { CopyAs } from '../../../parts/copy-as.tsx'
import { BROKEN, maySend, readDraft, valueOfDraft } from '../../../parts/json/draft.ts'
import { startingValue } from '../../../parts/json/form/form-data.ts'
import { JsonInput } from '../../../parts/json/json-input.tsx'
import { QueryContent } from '../../../parts/query-content.tsx'
import { QueryLoading } from '../../../parts/query-loading.tsx'
import { SHORTCUTS, useSubmitShortcut } from '../../../parts/shortcuts.ts'
import { useCannot } from '../../../parts/use-cannot.ts'
import { useOwnKey } from '../../../parts/use-own-key.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Field, TextInput } from '../../../ui/field.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { EventChoices } from './event-choice-list.tsx'
import { eventChoices, eventNameFault, payloadSchemaOf } from './event-choices.ts'
import { eventRefusal } from './event-refusal.ts'

const TITLE = 'Send event'

export const SendEventDialog = ({
  executionId,
  name,
  onClose,
}: {
  readonly executionId: string
  /** The initial name. */
  readonly name?: string | undefined
  readonly onClose: () => void
}) => {
  const scope = useScope()
  const execution = useQueryKeepingError(executionQuery(scope, executionId))
  const { manifest: read, queryKey } = useManifest(execution.data)
  // It is read again when the service is back; what was typed stays meanwhile.
  const [first, keep] = useState(read)
  if (first === undefined && read !== undefined) keep(read)
  const manifest = read ?? first
  if (execution.data !== undefined && manifest !== undefined) {
    return (
      <Composer
        execution={execution.data}
        isDeleted={failureOf(execution.error).kind === 'missing'}
        manifest={manifest}
        first={name}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog onClose={onClose} title={TITLE} size="steady">
      <QueryContent what="the Execution" query={execution}>
        {() => <QueryLoading what="the Execution" queryKey={queryKey} />}
      </QueryContent>
    </Dialog>
  )
}

/** The manifest of the Execution's version; empty when it cannot be read, because an event can be sent without it. */
const useManifest = (
  execution: Execution | undefined,
): { readonly manifest: ProgramManifest | undefined; readonly queryKey: QueryKey } => {
  const scope = useScope()
  const projectId = execution === undefined ? null : projectIdOf(execution.projectId, scope.connection)
  const inProject = useMemo(() => createScope(scope.connection, projectId), [scope.connection, projectId])
  const query = versionsQuery(inProject, execution?.programId ?? '', execution?.versionNumber)
  const versions = useQuery({ ...query, enabled: execution !== undefined, retry: false })
  const manifest = (): ProgramManifest | undefined => {
    if (versions.isError) return {}
    if (versions.data === undefined || versions.isPlaceholderData) return undefined
    return versions.data.find((version) => version.id === execution?.versionId)?.manifest ?? {}
  }
  return { manifest: manifest(), queryKey: query.queryKey }
}

const Composer = ({
  execution,
  isDeleted,
  manifest,
  first,
  onClose,
}: {
  readonly execution: Execution
  readonly isDeleted: boolean
  readonly manifest: ProgramManifest
  readonly first: string | undefined
  readonly onClose: () => void
}) => {
  const scope = useScope()
  const declared = manifest.events ?? []
  const choices = eventChoices(execution.waitingFor, declared)
  const [name, setName] = useState(first ?? choices.awaited[0]?.name ?? choices.others[0]?.name ?? '')
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [attempts, setAttempts] = useState(0)
  const [staysOpen, setStaysOpen] = useState(false)
  const schema = payloadSchemaOf(declared, name)
  const text = ownMember(texts, name) ?? stringifyExactJson(startingValue(schema), 2)
  const draft = readDraft(text)
  const payload = valueOfDraft(draft)
  const nameFault = eventNameFault(name)
  const always = useCannot('write')
  const cannot = always ?? (isDeleted ? GONE : executionCannot.beSentEvents(execution))

  const ownKey = useOwnKey()
  const send = useMutation({
    mutationFn: (sent: { readonly name: string; readonly text: string; readonly payload: unknown }) =>
      scope.anyProject.sendEvent(execution.id, sent.name, sent.payload, {
        idempotencyKey: ownKey.of([execution.id, sent.name, sent.text]),
      }),
    onSuccess: (_, sent) => {
      ownKey.spent()
      notify(`Event ${sent.name} sent`, { place: scope.connection })
      // What was typed since then is another event.
      if (sent.name !== name || sent.text !== text) return
      if (!staysOpen) return onClose()
      setAttempts(0)
      setTexts(({ [name]: _sent, ...others }) => others)
    },
  })
  const refusal = eventRefusal(send.error)
  const submit = (anyway = false) => {
    if (send.isPending || cannot !== undefined) return
    setAttempts((before) => before + 1)
    if (nameFault === undefined && maySend(text, schema, anyway)) send.mutate({ name, text, payload })
  }
  /** A refusal is shown until the next change. What is under way may still be refused. */
  const changed = () => {
    if (!send.isPending) send.reset()
  }
  useSubmitShortcut(() => submit())
  const choose = (next: string) => {
    changed()
    setAttempts(0)
    setName(next)
  }

  return (
    <Dialog
      onClose={onClose}
      title={TITLE}
      size="steady"
      description={
        <>
          To <span className="font-mono text-xs">{execution.id}</span>. The event is kept until the Program waits for
          it.
        </>
      }
      footer={
        <>
          <span className="mr-auto flex items-center gap-4">
            <CopyAs
              projectId={execution.projectId}
              disabledReason={nameFault ?? (draft.kind === 'broken' ? BROKEN : undefined)}
              request={() => ({ kind: 'send-event', executionId: execution.id, name, payload })}
            />
            <label className="flex items-center gap-2 text-soft">
              <input
                type="checkbox"
                checked={staysOpen}
                onChange={(event) => setStaysOpen(event.currentTarget.checked)}
                className="accent-accent"
              />
              Keep open to send another
            </label>
          </span>
          <Button onClick={onClose}>Close</Button>
          <Button
            kind="primary"
            icon={<Send size={14} />}
            shortcut={SHORTCUTS.submit.shown}
            busy={send.isPending}
            disabledReason={cannot}
            onClick={() => submit()}
          >
            Send event
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {cannot !== undefined && refusal.whole === undefined && (
          <p role="status" className="rounded-md bg-cancelled-wash px-3 py-1.5 text-cancelled">
            {cannot}.
          </p>
        )}
        {refusal.whole !== undefined && <Fault className="mb-5" {...refusal.whole} />}
        <EventChoices title="Waiting for" choices={choices.awaited} chosen={name} onChoose={choose} />
        <EventChoices title="Declared by the Program" choices={choices.others} chosen={name} onChoose={choose} />
        <Field label="Event name" fault={attempts > 0 ? nameFault : undefined}>
          <TextInput
            value={name}
            autoComplete="off"
            spellCheck={false}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        </Field>
        <JsonInput
          label="Payload"
          text={text}
          onChange={(next) => {
            if (next === text) return
            changed()
            setTexts((before) => ({ ...before, [name]: next }))
          }}
          schema={schema}
          refusals={refusal.payload}
          attempts={attempts}
          placeholder="Any JSON, or empty for no payload"
          onSendAnyway={attempts > 0 ? () => submit(true) : undefined}
        />
      </div>
    </Dialog>
  )
}

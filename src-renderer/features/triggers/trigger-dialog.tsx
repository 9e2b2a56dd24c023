// The dialog that adds a Trigger or edits one.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Program, Trigger, TriggerList } from '#sdk/index.ts'
import { programsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { triggersQuery } from '../../api/trigger-queries.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { NoPrograms } from '../../parts/no-programs.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { SHORTCUTS, useSubmitShortcut } from '../../parts/shortcuts.ts'
import { useCannot } from '../../parts/use-cannot.ts'
import { useStayWhile } from '../../parts/use-stay-while.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fault } from '../../ui/fault.tsx'
import { TextInput } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'
import { visible } from '../../ui/visible.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { TriggerFields } from './trigger-fields.tsx'
import { titleOf } from './trigger-list.ts'
import { type Conflict, type TriggerForm, useTriggerForm } from './use-trigger-form.ts'

export type TriggerDialogProps = {
  /** The Trigger to edit; undefined adds one. */
  readonly id?: string | undefined
  readonly type?: Trigger['type'] | undefined
  readonly onClose: () => void
}

export const TriggerDialog = (props: TriggerDialogProps) => {
  const scope = useScope()
  const [saved, setSaved] = useState<Trigger>()
  const list = useQueryKeepingError(triggersQuery(scope))
  const { data: programs } = useQuery(programsQuery(scope))
  const title = props.id === undefined ? 'Add Trigger' : 'Edit Trigger'
  const trigger = list.data?.items.find(({ id }) => id === props.id)
  // What is edited stays when somebody else removes the Trigger.
  const [opened, setOpened] = useState<{ readonly list: TriggerList; readonly trigger: Trigger | undefined }>()
  if (opened === undefined && list.data !== undefined && (props.id === undefined || trigger !== undefined)) {
    setOpened({ list: list.data, trigger })
  }

  if (saved !== undefined) return <Saved trigger={saved} onClose={props.onClose} />
  if (opened !== undefined && programs !== undefined && (programs.length > 0 || props.id !== undefined)) {
    return <Edited {...props} title={title} {...opened} programs={programs} onSaved={setSaved} />
  }
  return (
    <Dialog onClose={props.onClose} title={title}>
      <QueryContent what="the Triggers" query={list}>
        {() => {
          if (props.id !== undefined && opened === undefined) return <p>There is no Trigger {props.id} any more.</p>
          return programs?.length === 0 && <NoPrograms source={null} />
        }}
      </QueryContent>
    </Dialog>
  )
}

const Edited = ({
  id,
  type,
  title,
  list,
  trigger,
  programs,
  onClose,
  onSaved,
}: TriggerDialogProps & {
  readonly title: string
  readonly list: TriggerList
  readonly trigger: Trigger | undefined
  readonly programs: readonly Program[]
  readonly onSaved: (trigger: Trigger) => void
}) => {
  const runnable = programs.filter((program) => program.runnable)
  const form = useTriggerForm({
    list,
    trigger,
    initial: { type: type ?? 'webhook', programId: runnable.length === 1 ? runnable[0]!.id : '' },
    onSaved: (saved) => {
      // Another one than was edited, where that was removed meanwhile.
      if (saved.id !== id && saved.type === 'webhook') return onSaved(saved)
      notify(`${titleOf(saved)} ${id === undefined ? 'added' : 'saved'}`)
      onClose()
    },
  })
  const refusal = useCannot('write') ?? form.unready
  const mayGetSecret = form.draft.type === 'webhook' && (form.draft.signed || trigger?.signed === true)
  const close = useStayWhile(form.isSaving && mayGetSecret, onClose)
  useSubmitShortcut(() => void (refusal === undefined && form.save()))
  return (
    <Dialog
      onClose={close}
      title={title}
      size="steady"
      footer={
        <>
          <Button onClick={close}>Close</Button>
          <Button
            kind="primary"
            shortcut={SHORTCUTS.submit.shown}
            busy={form.isSaving}
            disabledReason={refusal}
            onClick={() => void form.save()}
          >
            {saveLabel(form, id === undefined)}
          </Button>
        </>
      }
    >
      {form.conflict !== undefined && (
        <Fault
          className="mt-3 mb-5"
          title={
            form.conflict.mayBeOwn
              ? 'This may have been saved already'
              : 'Somebody else changed the Triggers in the meantime'
          }
          message={conflictWords(form.conflict, id === undefined)}
        >
          <ul aria-label="What changed" className="mt-1.5 list-disc pl-4">
            {form.conflict.changes.map((change) => (
              <li key={change.id}>
                <span className="font-medium">{visible(change.title)}</span> {change.what}
              </li>
            ))}
          </ul>
        </Fault>
      )}
      {form.refusal !== undefined && (
        <Fault
          className="mt-3 mb-5"
          title={form.refusal.title}
          message={form.refusal.message}
          code={form.refusal.code}
        />
      )}
      <TriggerFields form={form} programs={programs} isNew={id === undefined} />
    </Dialog>
  )
}

const saveLabel = ({ conflict, draft }: Pick<TriggerForm, 'conflict' | 'draft'>, isNew: boolean): string => {
  if (conflict === undefined) return `Save ${draft.type}`
  return conflict.mayBeOwn && (isNew || conflict.isRemoved) ? 'Add another' : 'Save again'
}

const conflictWords = ({ isRemoved, mayBeOwn }: Conflict, isNew: boolean): string => {
  if (isRemoved && !mayBeOwn) {
    return 'Nothing was saved, and your entries are kept. This Trigger was removed: saving creates it again, with another address, and another secret if calls are signed.'
  }
  const kept = 'Saving again keeps the changes of other Triggers, and replaces those of this one.'
  if (!mayBeOwn) return `Nothing was saved, and your entries are kept. ${kept}`
  const lost = 'The answer to an earlier save was lost, and the Triggers have changed since.'
  return isNew || isRemoved
    ? `${lost} If yours is listed here, close this: adding it again makes two.`
    : `${lost} ${kept}`
}

/** The address of a new webhook, and its secret. */
const Saved = ({ trigger, onClose }: { readonly trigger: Trigger; readonly onClose: () => void }) => (
  <Dialog
    onClose={onClose}
    title="Webhook added"
    closesByButtonOnly={trigger.secret !== undefined}
    footer={
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    }
  >
    <div className="flex flex-col gap-4">
      <section aria-label="Address" className="flex flex-col gap-1">
        <h3 className="font-medium">Address</h3>
        <p className="text-soft">Each POST to it starts an Execution of {trigger.programId}.</p>
        <div className="flex items-center gap-1">
          <TextInput readOnly aria-label="Address" value={trigger.url ?? ''} className="flex-1 font-mono text-xs" />
          <CopyButton label="Copy the address" text={trigger.url ?? ''} />
        </div>
      </section>
      {trigger.secret !== undefined && (
        <section aria-label="Secret" className="flex flex-col gap-1">
          <h3 className="font-medium">Signing secret</h3>
          <p className="text-soft">Callers sign with it, as Standard Webhooks describes.</p>
          <SigningSecret secret={trigger.secret} />
        </section>
      )}
    </div>
  </Dialog>
)

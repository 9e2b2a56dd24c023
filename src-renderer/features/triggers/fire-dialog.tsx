// Fires a Trigger by hand, with an input of the user's choice.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { JsonSchema, Trigger } from '#sdk/index.ts'
import { failureOf } from '../../api/failures.ts'
import { projectOf, useScope } from '../../api/scope.ts'
import { firingsQuery, triggersQuery } from '../../api/trigger-queries.ts'
import { stringifyExactJson } from '../../exact-json.ts'
import { faultsOfRefusal, maySend, readDraft, valueOfDraft } from '../../parts/json/draft.ts'
import { exampleValue } from '../../parts/json/example-value.ts'
import { JsonInput } from '../../parts/json/json-input.tsx'
import type { SchemaFault } from '../../parts/json/schema-check.ts'
import { ExecutionLink } from '../../parts/links.tsx'
import { SHORTCUTS, useSubmitShortcut } from '../../parts/shortcuts.ts'
import { useCannot } from '../../parts/use-cannot.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Loading } from '../../ui/loading.tsx'
import { fireRefusal } from './fire-refusal.ts'
import { titleOf } from './trigger-list.ts'
import { useProgramSchema } from './use-program-schema.ts'

const TITLE = 'Send a test'

export const FireDialog = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const { data: list } = useQuery(triggersQuery(useScope()))
  const trigger = list?.items.find((one) => one.id === id)
  const { schema, state } = useProgramSchema(trigger?.programId ?? '')
  if (trigger !== undefined && state !== 'loading')
    return <Filled trigger={trigger} schema={schema} onClose={onClose} />
  return (
    <Dialog onClose={onClose} title={TITLE}>
      {list !== undefined && trigger === undefined ? (
        <p>There is no Trigger {id} any more.</p>
      ) : (
        <Loading what="the Trigger" />
      )}
    </Dialog>
  )
}

const Filled = ({
  trigger,
  schema,
  onClose,
}: {
  readonly trigger: Trigger
  readonly schema: JsonSchema | undefined
  readonly onClose: () => void
}) => {
  const scope = useScope()
  const queries = useQueryClient()
  const disabledReason = useCannot('write')
  const [text, setText] = useState(() =>
    stringifyExactJson(trigger.type === 'schedule' ? trigger.input : exampleValue(schema), 2),
  )
  const [attempts, setAttempts] = useState(0)
  const fire = useMutation({
    mutationFn: (input: unknown) => scope.client.fireTrigger(projectOf(scope), trigger.id, input),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: triggersQuery(scope).queryKey })
      void queries.invalidateQueries({ queryKey: firingsQuery(scope, trigger.programId, trigger.id).queryKey })
    },
  })
  const send = (anyway = false) => {
    if (fire.isPending || disabledReason !== undefined) return
    setAttempts((before) => before + 1)
    if (maySend(text, schema, anyway)) fire.mutate(valueOfDraft(readDraft(text)))
  }
  useSubmitShortcut(() => send())
  const { error } = fire
  const refusal = error === null ? undefined : fireRefusal(error)
  const refusals = useMemo(() => refusalsOf(error), [error])
  return (
    <Dialog
      onClose={onClose}
      title={TITLE}
      size="large"
      description={`Fires ${titleOf(trigger)} now, and starts an Execution of ${trigger.programId}${trigger.enabled ? '' : ', although it is disabled'}.`}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            kind="primary"
            icon={<Send size={14} />}
            shortcut={SHORTCUTS.submit.shown}
            busy={fire.isPending}
            disabledReason={disabledReason}
            onClick={() => send()}
          >
            {TITLE}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {refusal !== undefined && refusal.code !== 'invalid_input' && <Fault className="mt-3 mb-5" {...refusal} />}
        <p
          role="status"
          className="flex flex-wrap items-center gap-1.5 rounded-md bg-completed-wash px-3 py-1.5 text-completed empty:hidden"
        >
          {fire.data !== undefined && (
            <>
              Started
              <span onClickCapture={onClose}>
                <ExecutionLink id={fire.data.executionId} />
              </span>
            </>
          )}
        </p>
        <JsonInput
          label="Input"
          text={text}
          onChange={(next) => {
            if (next === text) return
            if (!fire.isPending) fire.reset()
            setText(next)
          }}
          schema={schema}
          refusals={refusals}
          attempts={attempts}
          placeholder={
            trigger.type === 'schedule' ? 'Any JSON, or empty for its own input' : 'Any JSON, or empty for no input'
          }
          onSendAnyway={attempts > 0 ? () => send(true) : undefined}
        />
      </div>
    </Dialog>
  )
}

/** What is wrong with the input, as the service says. */
const refusalsOf = (error: Error | null): readonly SchemaFault[] => {
  const failure = error === null ? undefined : failureOf(error)
  return failure?.code === 'invalid_input' ? faultsOfRefusal('input', failure.message) : []
}

import { useRef, useState } from 'react'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useConfirm } from '../../parts/use-confirm.ts'
import { usePrivateAct } from '../../parts/use-private-act.ts'
import { useDialogForm } from '../../parts/use-dialog-form.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { EnvironmentPlace } from './environment-place.tsx'
import { replaceQuestion } from './replace-question.ts'
import { SecretField } from './secret-field.tsx'
import { useSetVariables } from './use-set-variables.ts'
import { describeValue, MOST_VARIABLES, nameFault, valueFault } from './variable-rules.ts'

/** Sets one value: of a new name, or of `name`. */
export const SetValueDialog = ({
  name: given,
  names,
  onClose,
}: {
  readonly name?: string | undefined
  /** What is set already. */
  readonly names: readonly string[]
  readonly onClose: () => void
}) => {
  const value = useRef<HTMLTextAreaElement>(null)
  const [typed, setTyped] = useState('')
  const [isTried, setTried] = useState(false)
  const [wrongValue, setWrongValue] = useState<string>()
  const [described, setDescribed] = useState(describeValue(''))
  const act = usePrivateAct()
  const confirm = useConfirm()
  const setVariables = useSetVariables()
  const name = given ?? typed.trim()
  const replaces = names.includes(name)
  const wrongName = nameFault(name) ?? manyFault(names, name)

  const set = async (text: string) => {
    if (act.isBusy || (replaces && !(await confirm(replaceQuestion([name]))))) return
    if (await act.run(() => setVariables(new Map([[name, text]])))) onClose()
  }
  const form = useDialogForm(() => {
    const text = value.current?.value ?? ''
    setTried(true)
    setWrongValue(valueFault(text))
    if (wrongName !== undefined || valueFault(text) !== undefined) return
    void set(text)
  })
  return (
    <Dialog
      onClose={onClose}
      title={given === undefined ? 'Add variable' : `Replace ${given}`}
      description={
        <>
          For effects of <EnvironmentPlace /> that start at least 5 seconds later. The value is never shown again.
        </>
      }
      size="small"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <SubmitButton form={form.id} busy={act.isBusy}>
            {replaces ? 'Replace value' : 'Set value'}
          </SubmitButton>
        </>
      }
    >
      <form {...form} noValidate className="flex flex-col gap-4">
        {given === undefined && (
          <Field
            label="Name"
            hint={replaces ? 'This variable exists: its value will be replaced.' : undefined}
            fault={isTried ? wrongName : undefined}
          >
            <TextInput
              value={typed}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="font-mono"
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </Field>
        )}
        <SecretField
          label="Value"
          rows={3}
          field={value}
          hint={described}
          fault={wrongValue ?? act.fault}
          onInput={(text) => setDescribed(describeValue(text))}
        />
      </form>
    </Dialog>
  )
}

const manyFault = (names: readonly string[], name: string): string | undefined =>
  names.length >= MOST_VARIABLES && !names.includes(name)
    ? `A project can have at most ${MOST_VARIABLES} variables`
    : undefined

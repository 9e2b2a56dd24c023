import { useState } from 'react'
import type { Asked } from '../stores/confirmation.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, TextInput } from '../ui/field.tsx'

export const Confirmation = ({ asked }: { readonly asked: Asked }) => {
  const [typed, setTyped] = useState('')
  const missing = asked.typed !== undefined && typed !== asked.typed
  return (
    <Dialog
      open
      onClose={() => asked.answer(false)}
      title={asked.title}
      size="small"
      footer={
        <>
          <Button onClick={() => asked.answer(false)}>Go back</Button>
          <Button
            kind={asked.danger === true ? 'danger' : 'primary'}
            disabledReason={missing ? `Type “${asked.typed}” first` : undefined}
            onClick={() => asked.answer(true)}
          >
            {asked.action}
          </Button>
        </>
      }
    >
      <p>{asked.text}</p>
      {asked.typed !== undefined && (
        <div className="mt-3">
          <Field label={`Type “${asked.typed}” to confirm`}>
            <TextInput value={typed} onChange={(event) => setTyped(event.currentTarget.value)} autoComplete="off" />
          </Field>
        </div>
      )}
    </Dialog>
  )
}

import { useState } from 'react'
import { notTyped, TypeToConfirm } from '../parts/type-to-confirm.tsx'
import type { Asked } from '../stores/confirmation.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { visible } from '../ui/visible.tsx'

export const Confirmation = ({ asked }: { readonly asked: Asked }) => {
  const [typed, setTyped] = useState('')
  return (
    <Dialog
      onClose={() => asked.answer(false)}
      title={asked.title}
      size="small"
      footer={
        <>
          <Button onClick={() => asked.answer(false)}>Go back</Button>
          <Button
            kind={asked.danger === true ? 'danger' : 'primary'}
            disabledReason={notTyped(asked.typed, typed)}
            onClick={() => asked.answer(true)}
          >
            {asked.action}
          </Button>
        </>
      }
    >
      <p>{visible(asked.text)}</p>
      {asked.typed !== undefined && (
        <div className="mt-3">
          <TypeToConfirm expected={asked.typed} typed={typed} onType={setTyped} />
        </div>
      )}
    </Dialog>
  )
}

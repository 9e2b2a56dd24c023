import { useEffect, useState } from 'react'
import { SHORTCUTS, useShortcut } from '../parts/shortcuts.ts'
import { notTyped, TypeToConfirm } from '../parts/type-to-confirm.tsx'
import type { Asked, Counted } from '../stores/confirmation.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogText } from '../ui/dialog.tsx'
import { visible } from '../ui/visible.tsx'

const RECOUNT_MS = 1_000

export const Confirmation = ({ asked }: { readonly asked: Asked }) => {
  const [typed, setTyped] = useState('')
  const { title, action } = useCounted(asked)
  const cannot = notTyped(asked.typed, typed)
  const agree = () => {
    if (cannot === undefined) asked.answer(true)
  }
  useShortcut('submit', agree)
  return (
    <Dialog
      onClose={() => asked.answer(false)}
      title={title}
      size="small"
      footer={
        <>
          <Button {...(asked.typed === undefined && { 'data-autofocus': true })} onClick={() => asked.answer(false)}>
            Go back
          </Button>
          <Button
            kind={asked.danger === true ? 'danger' : 'primary'}
            shortcut={SHORTCUTS.submit.shown}
            disabledReason={cannot}
            onClick={agree}
          >
            {action}
          </Button>
        </>
      }
    >
      <DialogText>{visible(asked.text)}</DialogText>
      {asked.typed !== undefined && (
        <div className="mt-3">
          <TypeToConfirm expected={asked.typed} typed={typed} onType={setTyped} />
        </div>
      )}
    </Dialog>
  )
}

const useCounted = (asked: Asked): Counted => {
  const [counted, setCounted] = useState<Counted>(asked)
  useEffect(() => {
    const { recount } = asked
    if (recount === undefined) return
    // Without an answer, the last count stays.
    const timer = setInterval(() => void recount().then(setCounted, () => undefined), RECOUNT_MS)
    return () => clearInterval(timer)
  }, [asked])
  return counted
}

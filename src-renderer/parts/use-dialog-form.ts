import { type SubmitEvent, useId, useRef } from 'react'
import { useConfirmation } from '../stores/confirmation.ts'
import { useShortcut } from './shortcuts.ts'

/** The attributes of a dialog's form. The shortcut submits it, too, unless a question is open above the dialog. */
export const useDialogForm = (submit: () => void) => {
  const id = useId()
  const ref = useRef<HTMLFormElement>(null)
  const isCovered = useConfirmation((state) => state.asked !== null)
  useShortcut('submit', () => ref.current?.requestSubmit(), !isCovered)
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    submit()
  }
  return { id, ref, onSubmit }
}

import { type SubmitEvent, useEffect, useId, useRef } from 'react'
import { useSubmitShortcut } from './shortcuts.ts'

/**
 * The attributes of a dialog's form. The shortcut submits it, too. Once it was submitted, the first field that turns out to
 * be wrong gets the focus, unless the user has typed since.
 */
export const useDialogForm = (submit: () => void) => {
  const id = useId()
  const ref = useRef<HTMLFormElement>(null)
  useSubmitShortcut(() => ref.current?.requestSubmit())
  const isSent = useRef(false)
  useEffect(() => {
    const wrong = isSent.current && ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (!wrong) return
    isSent.current = false
    wrong.focus()
  })
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    isSent.current = true
    submit()
  }
  const onInput = () => void (isSent.current = false)
  return { id, ref, onSubmit, onInput }
}

import { type RefObject, useRef } from 'react'
import { useConfirmation } from '../stores/confirmation.ts'
import { useShortcut } from './shortcuts.ts'

/** Submits the form of a dialog, unless a question is open above it. */
export const useSubmitShortcut = (): RefObject<HTMLFormElement | null> => {
  const form = useRef<HTMLFormElement>(null)
  const isCovered = useConfirmation((state) => state.asked !== null)
  useShortcut('submit', () => form.current?.requestSubmit(), !isCovered)
  return form
}

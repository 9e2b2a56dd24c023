import { Button, type ButtonProps } from '../ui/button.tsx'
import { SHORTCUTS } from './shortcuts.ts'

/** Submits the form with the id `form` of the same dialog, as the shortcut of `useDialogForm` does. */
export const SubmitButton = (props: Pick<ButtonProps, 'form' | 'busy' | 'disabledReason' | 'children'>) => (
  <Button type="submit" kind="primary" shortcut={SHORTCUTS.submit.shown} {...props} />
)

import { notify, notifyFault } from '../ui/toasts.tsx'
import { writeToClipboard } from '../ui/write-to-clipboard.ts'

/** Copies a text. A toast says so, with this title, or that the browser refused. */
export const copyText = (text: string, title: string, detail?: string): void => {
  writeToClipboard(text).then(
    () => notify(title, { detail }),
    () => notifyFault('The browser refused to copy'),
  )
}

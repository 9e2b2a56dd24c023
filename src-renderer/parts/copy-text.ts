import { notify, notifyFault } from '../ui/toasts.tsx'

/** Copies a text. A toast says so, with this title, or that the browser refused. */
export const copyText = (text: string, title: string, detail?: string): void => {
  navigator.clipboard.writeText(text).then(
    () => notify(title, detail),
    () => notifyFault('The browser refused to copy'),
  )
}

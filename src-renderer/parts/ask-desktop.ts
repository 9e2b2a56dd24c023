import { refusalText } from '../desktop-refusal.ts'
import { notifyFault } from '../ui/toasts.tsx'

/** Calls the desktop app. When it refuses, a toast says why; `failed` is the title of the toast. */
export const askDesktop = (failed: string, act: () => Promise<unknown> | undefined): void => {
  void (async () => act())().catch((error: unknown) => notifyFault(failed, { detail: refusalText(error) }))
}

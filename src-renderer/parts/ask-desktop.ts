import { refusalText } from '../desktop-refusal.ts'
import { notifyFault } from '../ui/toasts.tsx'

/** Has main do something. Where it refuses, a notice says why; `failed` says what did not happen. */
export const askDesktop = (failed: string, act: () => Promise<unknown> | undefined): void => {
  void (async () => act())().catch((error: unknown) => notifyFault(failed, refusalText(error)))
}

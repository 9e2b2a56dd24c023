import { Component, type ReactNode } from 'react'
import { failureOf } from '../api/failures.ts'
import { notifyFault } from '../ui/toasts.tsx'
import { loadFailedAgain, NotLoaded, WHY_NOT_LOADED } from './loaded-when-shown.ts'

/** When what opens over the screen cannot be loaded (most often because the runtime does not answer), the screen stays as it was. */
export class PartGuard extends Component<
  { readonly title: string; readonly close: () => void; readonly children: ReactNode },
  { readonly failed: boolean }
> {
  override state = { failed: false }

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override componentDidCatch(error: unknown): void {
    const why = error instanceof NotLoaded ? WHY_NOT_LOADED : failureOf(error).message
    notifyFault(this.props.title, { detail: why })
    loadFailedAgain()
    this.props.close()
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children
  }
}

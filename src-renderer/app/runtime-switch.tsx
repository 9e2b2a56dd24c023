// The foot of the rail: what the runtime does. In a browser the page only sees whether it answers.

import { type Liveness } from '../api/live-changes.ts'
import { useLiveness } from '../api/live.ts'
import { classNames } from '../ui/class-names.ts'

const LOOKS: Readonly<Record<Liveness, { readonly text: string; readonly dot: string }>> = {
  connecting: { text: 'Connecting', dot: 'bg-queued-fill' },
  live: { text: 'Runtime ready', dot: 'bg-completed-fill' },
  polling: { text: 'Runtime ready', dot: 'bg-completed-fill' },
  lost: { text: 'No answer', dot: 'bg-failed-fill' },
}

export const RuntimeSwitch = () => {
  const { text, dot } = LOOKS[useLiveness()]
  return (
    <div
      role="status"
      aria-label="Runtime"
      className="flex items-center gap-2 border-t border-line px-4 py-3 text-soft"
    >
      <span aria-hidden="true" className={classNames('size-2 rounded-full', dot)} />
      {text}
    </div>
  )
}

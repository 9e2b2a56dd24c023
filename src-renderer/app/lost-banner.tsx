import { Unplug } from 'lucide-react'
import { useLiveness } from '../api/live.ts'
import { useDesktopRuntime } from '../parts/desktop-runtime.ts'
import { withoutRuntime } from '../parts/without-runtime.ts'

/** Says that what is shown may be old. Goes away by itself. Its name must not hold that of the badge, "Connection". */
export const LostBanner = () => {
  const liveness = useLiveness()
  const state = useDesktopRuntime()
  const isTold = state?.kind === 'crashed' || state?.kind === 'foreign' // in a notice of their own
  return (
    <div role="status" aria-label="Contact">
      {liveness === 'lost' && !isTold && (
        <p className="flex items-center gap-2 border-b border-waiting/40 bg-waiting-wash px-5 py-1.5 text-waiting">
          <Unplug size={14} aria-hidden="true" />
          {state === null
            ? 'The runtime does not answer. What you see is as it was; it is tried again until it does.'
            : `${withoutRuntime(state).title}. What you see is as it was.`}
        </p>
      )}
    </div>
  )
}

import { Unplug } from 'lucide-react'
import { useLiveness } from '../api/live.ts'

/** Says that what is shown may be old. Goes away by itself. Its name must not hold that of the badge, "Connection". */
export const LostBanner = () => {
  const liveness = useLiveness()
  return (
    <div role="status" aria-label="Contact">
      {liveness === 'lost' && (
        <p className="flex items-center gap-2 border-b border-waiting/40 bg-waiting-wash px-5 py-1.5 text-waiting">
          <Unplug size={14} aria-hidden="true" />
          The runtime does not answer. What you see is as it was; it is tried again until it does.
        </p>
      )}
    </div>
  )
}

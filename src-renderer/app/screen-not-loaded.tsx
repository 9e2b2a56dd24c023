// In place of a screen of which a file could not be loaded. It is loaded again by itself once the service answers again.

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLiveness } from '../api/live.ts'
import { isPageServed } from '../api/page-served.ts'
import { loadFailedAgain, WHY_NOT_LOADED } from '../parts/loaded-when-shown.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/fault.tsx'

export const ScreenNotLoaded = ({ onRetry }: { readonly onRetry: () => void }) => {
  const [phase, setPhase] = useState<'new' | 'asking' | 'unserved'>('new')
  const reload = async () => {
    setPhase('asking')
    // Without an answer, a reload would replace this page by the browser's own error.
    if (await isPageServed()) window.location.reload()
    else setPhase('unserved')
  }
  const again = () => {
    loadFailedAgain()
    onRetry()
  }
  const liveness = useLiveness()
  const isAnswered = liveness === 'live' || liveness === 'polling'
  const wasAnswered = useRef(isAnswered)
  const onAnswered = useEffectEvent(again)
  useEffect(() => {
    if (isAnswered && !wasAnswered.current) onAnswered()
    wasAnswered.current = isAnswered
  }, [isAnswered])
  return (
    <Fault title="This screen could not be loaded" message={WHY_NOT_LOADED} onRetry={again}>
      <div className="mt-2 flex flex-wrap items-center gap-3">
        <Button busy={phase === 'asking'} onClick={() => void reload()}>
          Reload the page
        </Button>
        {phase === 'unserved' && <span role="status">Not reloaded: nothing answers at {window.location.origin}.</span>}
      </div>
    </Fault>
  )
}

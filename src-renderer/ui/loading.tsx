import { LoaderCircle } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'

const LONG_MS = 10_000

/** Shows nothing at first, then a spinner, and after ten seconds `wayOut`, or a button that reloads the page. */
export const Loading = ({ what, wayOut }: { readonly what: string; readonly wayOut?: ReactNode }) => {
  const [phase, setPhase] = useState<'silent' | 'spinning' | 'long'>('silent')
  useEffect(() => {
    const spin = setTimeout(() => setPhase('spinning'), 200)
    const long = setTimeout(() => setPhase('long'), LONG_MS)
    return () => {
      clearTimeout(spin)
      clearTimeout(long)
    }
  }, [])
  if (phase === 'silent') return <div aria-busy="true" className="flex-1" />
  return (
    <div role="status" className="m-auto flex flex-col items-center gap-3 py-16 text-soft max-sm:mt-0">
      <LoaderCircle size={20} className="animate-spin" />
      <p>{phase === 'long' ? `Still loading ${what}.` : `Loading ${what}`}</p>
      {phase === 'long' && (wayOut ?? <Button onClick={() => window.location.reload()}>Reload the page</Button>)}
    </div>
  )
}

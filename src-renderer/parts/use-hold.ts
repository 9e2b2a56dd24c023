import { useEffect, useState } from 'react'

/** Long enough for what answers at all, and no longer than anybody waits for the rest of a screen. */
const MOST_MS = 5_000

/** Whether to show later what is below something that loads, so that it does not move. Once shown, it stays. */
export const useHold = (isLoading: boolean): boolean => {
  const [isOver, setOver] = useState(!isLoading)
  if (!isLoading && !isOver) setOver(true)
  useEffect(() => {
    if (isOver) return undefined
    const timer = setTimeout(() => setOver(true), MOST_MS)
    return () => clearTimeout(timer)
  }, [isOver])
  return isLoading && !isOver
}

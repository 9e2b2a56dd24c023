import { type RefObject, useEffect, useEffectEvent } from 'react'

/** Handles the wheel. When `act` returns true the page does not scroll; React's own listener cannot prevent that. */
export const useWheel = (element: RefObject<HTMLElement | null>, act: (event: WheelEvent) => boolean): void => {
  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (act(event)) event.preventDefault()
  })
  useEffect(() => {
    const target = element.current
    const listen = (event: WheelEvent) => onWheel(event)
    target?.addEventListener('wheel', listen, { passive: false })
    return () => target?.removeEventListener('wheel', listen)
  }, [element])
}

import { useCallback, useState } from 'react'

/** What only passes while the user scrolls is gone by then. */
const STAYS_MS = 150

/** Whether an element has stayed in view, so that requests for it wait until the user can see it. */
export const useSeen = (): readonly [boolean, (element: Element | null) => (() => void) | undefined] => {
  const [seen, setSeen] = useState(false)
  const watch = useCallback((element: Element | null) => {
    if (element === null) return undefined
    let staying: ReturnType<typeof setTimeout> | undefined
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(staying)
      if (entries.at(-1)?.isIntersecting !== true) return
      staying = setTimeout(() => {
        setSeen(true)
        observer.disconnect()
      }, STAYS_MS)
    })
    observer.observe(element)
    return () => {
      clearTimeout(staying)
      observer.disconnect()
    }
  }, [])
  return [seen, watch]
}

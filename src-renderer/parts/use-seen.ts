import { useCallback, useState } from 'react'

/** Whether an element has been in view, so that requests for it wait until the user can see it. */
export const useSeen = (): readonly [boolean, (element: Element | null) => (() => void) | undefined] => {
  const [seen, setSeen] = useState(false)
  const watch = useCallback((element: Element | null) => {
    if (element === null) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return
      setSeen(true)
      observer.disconnect()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [seen, watch]
}

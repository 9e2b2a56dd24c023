// Whether what calls it is still on screen: what a request of it leads to comes perhaps when the user is elsewhere.

import { useEffect, useRef } from 'react'

export const useIsShown = (): (() => boolean) => {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => void (isShown.current = false)
  }, [])
  return () => isShown.current
}

// Leaves the screen of what was deleted. A deletion may take long, and the user be elsewhere by then.

import { type NavigateOptions, useNavigate, useRouter } from '@tanstack/react-router'

/** `end`: of the address to leave, as that of no other screen ends. */
export const useLeave = (): ((end: `/${string}/${string}`, to: NavigateOptions) => void) => {
  const router = useRouter()
  const navigate = useNavigate()
  return (end, to) => {
    // Where a navigation leads that has begun.
    if (router.latestLocation.pathname.endsWith(end)) void navigate(to)
  }
}

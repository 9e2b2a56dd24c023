import { useEffect, useRef } from 'react'
import type { ConnectionTest, ConnectionTestResult } from '#runtime/connections/models.ts'
import { testConnection } from '../../../api/connections.ts'

/** `cancel` ends the running test, and so does closing the dialog: `test` then resolves with undefined. */
export const useConnectionTest = () => {
  const running = useRef<AbortController>(undefined)
  const cancel = () => running.current?.abort()
  useEffect(() => () => running.current?.abort(), [])

  const test = async (what: ConnectionTest): Promise<ConnectionTestResult | undefined> => {
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    try {
      const found = await testConnection(what, signal)
      return signal.aborted ? undefined : found
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }
  return { test, cancel }
}

import { useQueryClient } from '@tanstack/react-query'
import type { ConnectionView } from '#runtime/connections/models.ts'
import { removeConnection } from '../../../api/connections.ts'
import { failureOf } from '../../../api/failures.ts'
import { useConnection } from '../../../api/connection.ts'
import { useShowLocal } from '../../../parts/use-show-connection.ts'
import { confirm } from '../../../stores/confirmation.ts'
import { notify, notifyFault } from '../../../ui/toasts.tsx'

/** Asks, then removes a connection with its token and what this page remembers of it. */
export const useRemove = (): ((connection: ConnectionView) => void) => {
  const queries = useQueryClient()
  const shown = useConnection().id
  const showLocal = useShowLocal()
  const remove = async ({ id, name, address }: ConnectionView): Promise<void> => {
    const agreed = await confirm({
      title: `Remove ${name}?`,
      text: `The connection to ${address} and its token are deleted on this computer. The service and its Executions stay as they are.`,
      action: 'Remove connection',
      danger: true,
    })
    if (!agreed) return
    try {
      if (shown === id) showLocal()
      await removeConnection(queries, id)
      notify(`${name} is removed`)
    } catch (error) {
      notifyFault(`${name} was not removed`, { detail: failureOf(error).message })
    }
  }
  return (connection) => void remove(connection)
}

// Deploys artifacts from files. A dialog shows the outcome of each.

import { useQueryClient } from '@tanstack/react-query'
import { serviceName, useConnection } from '../api/connection.ts'
import { queryKey } from '../api/query-keys.ts'
import { useScope } from '../api/scope.ts'
import { openDialog } from '../stores/dialogs.ts'
import { notifyFault } from '../ui/toasts.tsx'
import type { DeployOutcome } from './deploy-file.ts'
import { plural } from './format.ts'
import { WHY_NOT_LOADED } from './loaded-when-shown.ts'
import { useCannot } from './use-cannot.ts'
import { useConfirmOnHosted } from './use-confirm.ts'

/** Never rejects. */
export type Deployment = { readonly name: string; readonly outcome: Promise<DeployOutcome> }

let opened = 0

export const useDeployFiles = (): ((files: readonly File[]) => void) => {
  const scope = useScope()
  const queries = useQueryClient()
  const service = serviceName(useConnection())
  const cannot = useCannot('write')
  const confirm = useConfirmOnHosted()
  const deploy = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return
    if (cannot !== undefined) return notifyFault('Nothing was deployed', { detail: `${cannot}.` })
    const what = plural(files.length, 'file')
    const agreed = await confirm({
      title: service === undefined ? `Deploy ${what}?` : `Deploy ${what} to ${service}?`,
      text: 'Executions that start afterwards run the new versions.',
      action: `Deploy ${what}`,
    })
    if (!agreed) return
    const loaded = await import('./deploy-file.ts').catch(() => undefined)
    if (loaded === undefined) return notifyFault('Nothing was deployed', { detail: WHY_NOT_LOADED })
    const deployments = files.map((file) => ({ name: file.name, outcome: loaded.deployFile(scope.client, file) }))
    openDialog({ kind: 'deployments', deployments, opened: (opened += 1) })
    void Promise.all(deployments.map(({ outcome }) => outcome)).then(() =>
      Promise.all(
        (['programs', 'program', 'versions'] as const).map((noun) =>
          queries.invalidateQueries({ queryKey: queryKey(scope, noun) }),
        ),
      ),
    )
  }
  return (files) => void deploy(files)
}

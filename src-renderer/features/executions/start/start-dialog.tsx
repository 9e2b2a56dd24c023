// The dialog "Start execution", and "Run again", which copies an Execution.

import { useQuery } from '@tanstack/react-query'
import type { Execution } from '#sdk/index.ts'
import { askEvery } from '../../../api/ask-again.ts'
import { useProgramsInterval } from '../../../api/live.ts'
import { programsQuery, executionQuery } from '../../../api/queries.ts'
import { ScopeContext, useScope, useScopeIn } from '../../../api/scope.ts'
import { useQueryKeepingError } from '../../../api/use-query-keeping-error.ts'
import { useShownSource } from '../../../parts/use-source.ts'
import { NoPrograms } from '../../../parts/no-programs.tsx'
import { InsteadOfData } from '../../../parts/query-content.tsx'
import { useSubmitShortcut } from '../../../parts/shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { CopyStartAs, StartButton } from './start-buttons.tsx'
import { StartFields } from './start-fields.tsx'
import { useStart } from './use-start.ts'

export type StartDialogProps = {
  readonly programId?: string | undefined
  readonly version?: number | undefined
  readonly copyOf?: string | undefined
  readonly input?: unknown
  /** Returns whether it was still open. */
  readonly onClose: () => boolean
}

export const StartDialog = ({ copyOf, ...props }: StartDialogProps) =>
  copyOf === undefined ? <New {...props} /> : <Again executionId={copyOf} onClose={props.onClose} />

const START = 'Start execution'
const AGAIN = 'Run again'

const New = (props: Omit<StartDialogProps, 'copyOf'>) => {
  const scope = useScope()
  const { data: programs } = useQuery({ ...programsQuery(scope), refetchInterval: askEvery(useProgramsInterval()) })
  const source = useShownSource()
  if (programs?.length === 0) {
    return (
      <Dialog onClose={props.onClose} title={START}>
        <NoPrograms source={source} />
      </Dialog>
    )
  }
  return <Filled title={START} {...props} />
}

const Again = ({ executionId, onClose }: { readonly executionId: string; readonly onClose: () => boolean }) => {
  const scope = useScope()
  const query = useQueryKeepingError(executionQuery(scope, executionId))
  if (query.data !== undefined) return <AgainWith key={executionId} execution={query.data} onClose={onClose} />
  return (
    <Dialog onClose={onClose} title={AGAIN} size="steady">
      <InsteadOfData what="the Execution" query={query} />
    </Dialog>
  )
}

/** Starts in the project of the copied Execution, which may be another one than the screen's. */
const AgainWith = ({ execution, onClose }: { readonly execution: Execution; readonly onClose: () => boolean }) => {
  return (
    <ScopeContext value={useScopeIn(execution.projectId)}>
      <Filled
        title={AGAIN}
        programId={execution.programId}
        input={execution.input}
        copyOf={execution}
        onClose={onClose}
      />
    </ScopeContext>
  )
}

const Filled = ({
  title,
  onClose,
  ...options
}: Omit<StartDialogProps, 'copyOf'> & { readonly title: string; readonly copyOf?: Execution }) => {
  const model = useStart({ ...options, onStarted: onClose })
  useSubmitShortcut(() => model.submit())
  return (
    <Dialog
      onClose={onClose}
      title={title}
      size="steady"
      description={
        options.copyOf === undefined ? undefined : (
          <>
            Copied from <span className="font-mono text-xs">{options.copyOf.id}</span>. Edit anything before you start.
          </>
        )
      }
      footer={
        <>
          <span className="mr-auto">
            <CopyStartAs model={model} />
          </span>
          <Button onClick={onClose}>Close</Button>
          <StartButton model={model} label={title} />
        </>
      }
    >
      <StartFields model={model} choosesProgram />
    </Dialog>
  )
}

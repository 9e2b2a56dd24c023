import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { projectCannotStart } from '../api/capabilities.ts'
import { programsQuery } from '../api/queries.ts'
import { useScope } from '../api/scope.ts'
import { openDialog } from '../stores/dialogs.ts'
import { Button } from '../ui/button.tsx'
import { useCannot } from './use-cannot.ts'

/** The screen's main button, unless there is nothing to start: then it is the one that deploys. */
export const StartExecution = ({ programId }: { readonly programId?: string | undefined }) => {
  const cannot = useCannot('write')
  const { data: programs } = useQuery(programsQuery(useScope()))
  const nothing = projectCannotStart(programs)
  return (
    <Button
      kind={nothing === undefined ? 'primary' : 'plain'}
      icon={<Play size={14} />}
      shortcut="S"
      disabledReason={cannot ?? nothing}
      onClick={() => openDialog({ kind: 'start', ...(programId !== undefined && { programId }) })}
    >
      Start execution
    </Button>
  )
}

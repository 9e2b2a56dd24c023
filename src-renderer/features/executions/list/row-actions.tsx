// What can be done with one Execution of the list.

import { useNavigate } from '@tanstack/react-router'
import { Ban, Copy, CornerDownLeft, Eye, EyeOff, RotateCw, Send, Trash2 } from 'lucide-react'
import { executionCannot, type Refusal } from '../../../api/capabilities.ts'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { copyText } from '../../../parts/copy-text.ts'
import { useCannot } from '../../../parts/use-cannot.ts'
import { paths } from '../../../paths.ts'
import { openDialog } from '../../../stores/dialogs.ts'
import { type MenuAction, type MenuAnchor, SharedMenu } from '../../../ui/menu.tsx'
import type { ListFilter } from './search-filter.ts'

export type RowMenuProps = {
  /** null: closed. */
  readonly anchor: MenuAnchor | null
  readonly byKey: boolean
  readonly execution: ListedExecution | undefined
  readonly filter: ListFilter
  /** undefined where the user cannot change the list's filter. */
  readonly onFilter: ((filter: ListFilter) => void) | undefined
  readonly onClose: () => void
}

export const RowMenu = ({ anchor, byKey, execution, filter, onFilter, onClose }: RowMenuProps) => {
  const navigate = useNavigate()
  const open = (id: string) => void navigate(paths.execution(id))
  const cannot = useCannot('write')
  return (
    <SharedMenu
      anchor={execution === undefined ? null : anchor}
      focusFirst={byKey}
      onClose={onClose}
      label="Actions"
      groups={
        execution === undefined
          ? []
          : [
              lookActions(execution, open),
              doActions(execution, cannot),
              ...(onFilter === undefined ? [] : [filterActions(execution, filter, onFilter)]),
              [deleteAction(execution, cannot)],
            ]
      }
    />
  )
}

const lookActions = ({ id }: ListedExecution, open: (id: string) => void): readonly MenuAction[] => [
  { label: 'Open', icon: <CornerDownLeft size={14} />, onSelect: () => open(id) },
  { label: 'Copy id', icon: <Copy size={14} />, onSelect: () => copyText(id, 'Copied', id) },
]

const doActions = (execution: ListedExecution, cannot: Refusal): readonly MenuAction[] => [
  {
    label: 'Run again',
    icon: <RotateCw size={14} />,
    disabledReason: cannot,
    onSelect: () => openDialog({ kind: 'start', copyOf: execution.id }),
  },
  {
    label: 'Send event',
    icon: <Send size={14} />,
    disabledReason: cannot ?? executionCannot.beSentEvents(execution),
    onSelect: () => openDialog({ kind: 'send-event', executionId: execution.id }),
  },
  {
    label: 'Cancel execution',
    icon: <Ban size={14} />,
    disabledReason: cannot ?? executionCannot.beCancelled(execution),
    onSelect: () => openDialog({ kind: 'cancel', executionId: execution.id }),
  },
]

const filterActions = (
  { programId }: ListedExecution,
  filter: ListFilter,
  onFilter: (filter: ListFilter) => void,
): readonly MenuAction[] => [
  {
    label: 'Show only this Program',
    icon: <Eye size={14} />,
    onSelect: () => onFilter({ ...filter, programId }),
  },
  {
    label: 'Hide this Program',
    icon: <EyeOff size={14} />,
    onSelect: () => onFilter({ ...filter, notProgramId: [...(filter.notProgramId ?? []), programId] }),
  },
]

const deleteAction = (execution: ListedExecution, cannot: Refusal): MenuAction => ({
  label: 'Delete',
  icon: <Trash2 size={14} />,
  danger: true,
  disabledReason: cannot ?? executionCannot.beDeleted(execution),
  onSelect: () => openDialog({ kind: 'delete', executionId: execution.id }),
})

import { Ban, Ellipsis, Link2, Play, Send, Trash2 } from 'lucide-react'
import type { Execution } from '#sdk/index.ts'
import { executionCannot, GONE } from '../../../../api/capabilities.ts'
import { CopyAs } from '../../../../parts/copy-as.tsx'
import { copyText } from '../../../../parts/copy-text.ts'
import { SHORTCUTS, useShortcut } from '../../../../parts/shortcuts.ts'
import { useCannot } from '../../../../parts/use-cannot.ts'
import { openDialog } from '../../../../stores/dialogs.ts'
import { Button, IconButton } from '../../../../ui/button.tsx'
import { Menu } from '../../../../ui/menu.tsx'

/** The actions on this Execution. A disabled action says why. */
export const ExecutionActions = ({
  execution,
  isDeleted,
}: {
  readonly execution: Execution
  readonly isDeleted: boolean
}) => {
  const { id } = execution
  const always = useCannot('write') ?? (isDeleted ? GONE : undefined)
  const refusals = {
    send: always ?? executionCannot.beSentEvents(execution),
    again: always,
    cancel: always ?? executionCannot.beCancelled(execution),
    remove: always ?? executionCannot.beDeleted(execution),
  }
  const send = () => openDialog({ kind: 'send-event', executionId: id })
  const runAgain = () => openDialog({ kind: 'start', copyOf: id })
  const cancel = () => openDialog({ kind: 'cancel', executionId: id })
  useShortcut('sendEvent', send, refusals.send === undefined)
  useShortcut('runAgain', runAgain, refusals.again === undefined)
  useShortcut('cancel', cancel, refusals.cancel === undefined)

  return (
    <>
      <Button
        icon={<Send size={14} />}
        shortcut={SHORTCUTS.sendEvent.shown}
        disabledReason={refusals.send}
        onClick={send}
      >
        Send event
      </Button>
      <Button
        icon={<Play size={14} />}
        shortcut={SHORTCUTS.runAgain.shown}
        disabledReason={refusals.again}
        onClick={runAgain}
      >
        Run again
      </Button>
      <Button
        kind="danger"
        icon={<Ban size={14} />}
        shortcut={SHORTCUTS.cancel.shown}
        disabledReason={refusals.cancel}
        onClick={cancel}
      >
        Cancel execution
      </Button>
      <CopyAs
        projectId={execution.projectId}
        request={[
          {
            does: 'Start again',
            request: () => ({
              kind: 'start',
              programId: execution.programId,
              version: execution.versionNumber,
              input: execution.input,
            }),
          },
          { does: 'Read', request: () => ({ kind: 'read', executionId: id }) },
        ]}
      />
      <Menu
        label="More actions"
        trigger={
          <IconButton label="More actions" className="-mr-1.5">
            <Ellipsis size={16} />
          </IconButton>
        }
        groups={[
          [{ label: 'Copy the link', icon: <Link2 size={14} />, onSelect: copyLink }],
          [
            {
              label: 'Delete…',
              icon: <Trash2 size={14} />,
              danger: true,
              disabledReason: refusals.remove,
              onSelect: () => openDialog({ kind: 'delete', executionId: id }),
            },
          ],
        ]}
      />
    </>
  )
}

const copyLink = (): void => copyText(window.location.href, 'The link is copied')

// Where everything is kept, and how to save it, shrink it or start anew.

import { Archive, FolderOpen, Trash2 } from 'lucide-react'
import type { RuntimeStatus } from '#sdk/index.ts'
import { desktop } from '../../desktop.ts'
import { askDesktop } from '../../parts/ask-desktop.ts'
import { bytes } from '../../parts/format.ts'
import { confirm } from '../../stores/confirmation.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Retention } from './retention.tsx'
import { Row, Section } from './section.tsx'

const ONLY_DESKTOP = 'The desktop app can do this; a page in a browser cannot reach your files'

const attempt = (what: string, act: () => Promise<unknown>) => () => askDesktop(`${what} did not work`, act)

const backUp = async () => {
  const file = await desktop?.data.backUp()
  if (typeof file === 'string') notify('Backed up', file)
}

const reset = async (what: 'executions' | 'everything') => {
  const everything = what === 'everything'
  const agreed = await confirm({
    title: everything ? 'Reset everything' : 'Delete all Executions',
    text: everything
      ? 'Every project, Program, version and Execution of this data folder is deleted. This cannot be undone.'
      : 'Every Execution of every project is deleted with its history, running ones too. Programs stay. This cannot be undone.',
    action: everything ? 'Delete everything' : 'Delete all Executions',
    danger: true,
    typed: everything ? 'delete everything' : 'delete executions',
  })
  if (!agreed) return
  await desktop?.data.reset(what)
  notify(everything ? 'Everything was deleted' : 'All Executions were deleted')
}

/** `runtime` is undefined while none answers: its folder is there all the same. */
export const DataSection = ({
  folder,
  runtime,
}: {
  readonly folder: string
  readonly runtime: RuntimeStatus | undefined
}) => {
  const reason = desktop === undefined ? ONLY_DESKTOP : undefined
  return (
    <Section title="Data">
      <Row
        label="Data folder"
        note={
          <span className="inline-flex items-center gap-1 font-mono break-all">
            {folder}
            <CopyButton label="Copy the path" text={folder} />
          </span>
        }
      >
        {runtime !== undefined && <span className="tabular text-soft">{bytes(runtime.dataBytes)}</span>}
        <Button
          icon={<FolderOpen size={14} aria-hidden="true" />}
          disabledReason={reason}
          onClick={attempt('Revealing it', async () => desktop?.data.reveal())}
        >
          Reveal
        </Button>
        <Button
          icon={<Archive size={14} aria-hidden="true" />}
          disabledReason={reason}
          onClick={attempt('The backup', backUp)}
        >
          Back up
        </Button>
      </Row>
      {runtime !== undefined && <Retention />}
      <Row label="Reset" note="Typed confirmation first. A runtime that runs stops and starts again.">
        <Button
          kind="danger"
          icon={<Trash2 size={14} aria-hidden="true" />}
          disabledReason={reason}
          onClick={attempt('The reset', () => reset('executions'))}
        >
          Executions…
        </Button>
        <Button
          kind="danger"
          icon={<Trash2 size={14} aria-hidden="true" />}
          disabledReason={reason}
          onClick={attempt('The reset', () => reset('everything'))}
        >
          Everything…
        </Button>
      </Row>
    </Section>
  )
}

// The diagnostics file, which the user can read in full before copying or saving it. It contains no input, result,
// payload, token or environment variable.

import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { RuntimeStatus } from '#sdk/index.ts'
import { useLiveness } from '../../api/live.ts'
import { refusalText } from '../../desktop-refusal.ts'
import { desktop } from '../../desktop.ts'
import { saveFile } from '../../parts/save-file.ts'
import { usePreferences } from '../../stores/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Loading } from '../../ui/loading.tsx'

export const Diagnostics = ({
  runtime,
  onClose,
}: {
  readonly runtime: RuntimeStatus | null
  readonly onClose: () => void
}) => {
  const liveness = useLiveness()
  const { theme, timeDisplay } = usePreferences()
  const {
    data: text,
    error,
    refetch,
  } = useQuery({
    queryKey: ['desktop', 'diagnostics', liveness],
    queryFn: async () =>
      (await desktop?.diagnostics()) ??
      JSON.stringify({ browser: navigator.userAgent, liveness, theme, timeDisplay, runtime }, undefined, 2),
    retry: false,
  })
  return (
    <Dialog
      onClose={onClose}
      title="Diagnostics"
      size="large"
      description="This is the whole file. It contains no inputs, results, payloads or tokens."
      footer={
        text !== undefined && (
          <>
            <CopyButton label="Copy the diagnostics" text={text} />
            <Button icon={<Download size={14} />} onClick={() => saveFile(FILE.name, FILE.type, text)}>
              Save as a file
            </Button>
          </>
        )
      }
    >
      {error !== null && (
        <Fault
          title="The diagnostics could not be collected"
          message={refusalText(error)}
          onRetry={() => void refetch()}
        />
      )}
      {text === undefined && error === null && <Loading what="the diagnostics" />}
      {text !== undefined && (
        <pre data-autofocus tabIndex={0} className="font-mono text-xs break-all whitespace-pre-wrap">
          {text}
        </pre>
      )}
    </Dialog>
  )
}

/** Text from the desktop app, JSON from a browser. */
const FILE =
  desktop === undefined
    ? { name: 'wes-diagnostics.json', type: 'application/json' }
    : { name: 'wes-diagnostics.txt', type: 'text/plain' }

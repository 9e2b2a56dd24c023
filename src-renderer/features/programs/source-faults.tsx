// Errors in source files, each with its file, line and the code around it; and warnings, which take less room.

import { FileWarning, TriangleAlert } from 'lucide-react'
import type { SourceFault } from '#sdk/index.ts'
import { desktop } from '../../desktop.ts'
import { askDesktop } from '../../parts/ask-desktop.ts'
import { plural } from '../../parts/format.ts'
import { Button } from '../../ui/button.tsx'
import { visible } from '../../ui/visible.tsx'

type Faults = { readonly folder: string; readonly faults: readonly SourceFault[] }

export const SourceFaults = ({ folder, faults }: Faults) => (
  <section aria-label="Source errors" role="alert" className="border-b border-line bg-failed-wash px-5 py-3">
    <h2 className="flex flex-wrap items-center gap-x-2 font-semibold text-failed">
      <FileWarning size={15} />
      {plural(faults.length, 'source error')}
      <span className="font-normal text-soft">
        Programs that were deployed before stay as they were until you fix the file.
      </span>
    </h2>
    <ul className="mt-2 flex max-h-72 flex-col gap-3 overflow-auto">
      {faults.map((fault) => (
        <li key={`${fault.path}:${fault.line}:${fault.column}:${fault.message}`}>
          <FaultLine folder={folder} fault={fault} />
          {fault.frame !== '' && (
            <pre
              // It scrolls.
              tabIndex={0}
              role="region"
              aria-label={`The code around ${fault.path}:${fault.line}`}
              className="mt-1 overflow-x-auto rounded-md border border-line bg-page px-3 py-2 font-mono text-xs"
            >
              {visible(fault.frame)}
            </pre>
          )}
        </li>
      ))}
    </ul>
  </section>
)

export const SourceWarnings = ({ folder, faults }: Faults) => (
  <section aria-label="Source warnings" className="border-b border-line px-5 py-2 text-soft">
    <h2 className="flex items-center gap-x-2">
      <TriangleAlert size={14} className="text-waiting" />
      {plural(faults.length, 'source warning')}
    </h2>
    {/* It scrolls. */}
    <ul tabIndex={0} aria-label="Source warnings" className="mt-1 flex max-h-32 flex-col gap-1 overflow-auto">
      {faults.map((fault) => (
        <li key={fault.message}>
          <FaultLine folder={folder} fault={fault} />
        </li>
      ))}
    </ul>
  </section>
)

const FaultLine = ({ folder, fault }: { readonly folder: string; readonly fault: SourceFault }) => (
  <div className="flex flex-wrap items-baseline gap-x-3">
    <span className="font-mono text-xs font-medium">{visible(`${fault.path}:${fault.line}:${fault.column}`)}</span>
    <span className="min-w-0 wrap-anywhere">{visible(withoutPlace(fault))}</span>
    {desktop !== undefined && (
      <Button
        kind="quiet"
        small
        className="ml-auto"
        onClick={() =>
          askDesktop('The file could not be opened', () =>
            desktop?.openInEditor({ path: `${folder}/${fault.path}`, line: fault.line, column: fault.column }),
          )
        }
      >
        Open in editor
      </Button>
    )}
  </div>
)

/** Removes the place from the message, because the heading shows it. */
const withoutPlace = ({ path, line, column, message }: SourceFault): string => {
  const place = `${path}:${line}:${column} `
  return message.startsWith(place) ? message.slice(place.length) : message
}

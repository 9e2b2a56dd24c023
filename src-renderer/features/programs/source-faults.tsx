// Errors in source files, each with its file, line and the code around it.

import { FileWarning } from 'lucide-react'
import type { SourceFault } from '#sdk/index.ts'
import { desktop } from '../../desktop.ts'
import { askDesktop } from '../../parts/ask-desktop.ts'
import { plural } from '../../parts/format.ts'
import { Button } from '../../ui/button.tsx'
import { visible } from '../../ui/visible.tsx'

export const SourceFaults = ({
  folder,
  faults,
}: {
  readonly folder: string
  readonly faults: readonly SourceFault[]
}) => (
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
          <div className="flex flex-wrap items-baseline gap-x-3">
            <span className="font-mono text-xs font-medium">
              {visible(`${fault.path}:${fault.line}:${fault.column}`)}
            </span>
            <span>{visible(withoutPlace(fault))}</span>
            {desktop !== undefined && (
              <Button
                kind="quiet"
                small
                className="ml-auto"
                onClick={() =>
                  askDesktop('The file could not be opened', () =>
                    desktop?.openInEditor({
                      path: `${folder}/${fault.path}`,
                      line: fault.line,
                      column: fault.column,
                    }),
                  )
                }
              >
                Open in editor
              </Button>
            )}
          </div>
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

/** Removes the place from the message, because the heading shows it. */
const withoutPlace = ({ path, line, column, message }: SourceFault): string => {
  const place = `${path}:${line}:${column} `
  return message.startsWith(place) ? message.slice(place.length) : message
}

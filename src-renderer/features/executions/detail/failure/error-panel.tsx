// Why an Execution failed: what was thrown, where, what caused it, and each attempt of the effect behind it.

import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ExecutionError } from '#sdk/index.ts'
import { duration } from '../../../../parts/format.ts'
import { CopyButton } from '../../../../ui/copy-button.tsx'
import { classNames } from '../../../../ui/class-names.ts'
import type { Attempt, Command } from '../journal/commands.ts'
import type { JournalView } from '../journal/journal-query.ts'
import { failedEffects } from './failed-effects.ts'
import { StackView } from './stack-view.tsx'

export type ErrorPanelProps = {
  readonly error: ExecutionError
  readonly view: JournalView
  readonly onSelect: (position: number) => void
}

export const ErrorPanel = ({ error, view, onSelect }: ErrorPanelProps) => {
  const effects = failedEffects(view.journal.commands, error)
  return (
    <section
      aria-label="Error"
      className="max-h-[38vh] shrink-0 overflow-auto border-b border-failed/40 bg-failed-wash px-5 py-2.5"
    >
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="break-words">
            <span className="font-semibold text-failed">{error.name ?? 'Failed'}</span>
            <span className="font-medium">: {error.message}</span>
          </p>
          <p className="font-mono text-xs text-soft">{error.code}</p>
        </div>
        <CopyButton label="Copy the error" text={() => errorText(error)} />
      </div>
      {error.stack !== undefined && (
        <div className="mt-1.5">
          <StackView stack={error.stack} headline={false} />
        </div>
      )}
      {effects.map((command) => (
        <Attempts key={command.number} command={command} onSelect={onSelect} />
      ))}
    </section>
  )
}

const errorText = ({ code, name = 'Error', message, stack }: ExecutionError): string =>
  stack === undefined
    ? `${name}: ${message}\n${code}`
    : `${stack.includes(message) ? stack : `${name}: ${message}\n${stack}`}\n${code}`

const Attempts = ({
  command,
  onSelect,
}: {
  readonly command: Command
  readonly onSelect: (position: number) => void
}) => (
  <Disclosure
    label={
      <>
        Caused by effect <span className="font-medium">{command.name}</span>, given up after{' '}
        {command.attempts.length === 1 ? 'one attempt' : `${command.attempts.length} attempts`}
      </>
    }
  >
    <ol className="mt-1 ml-5 border-l border-failed/40">
      {command.attempts.map((attempt) => (
        <li key={attempt.number} className="flex flex-wrap items-baseline gap-x-3 px-3 py-0.5">
          <button
            type="button"
            className="rounded-sm text-accent hover:underline"
            onClick={() => onSelect(attempt.position ?? command.position)}
          >
            Attempt {attempt.number}
          </button>
          <span className="tabular text-faint">{lasted(attempt)}</span>
          <span className="min-w-0 flex-1 break-words">{attempt.error}</span>
        </li>
      ))}
    </ol>
  </Disclosure>
)

const lasted = ({ from, to }: Attempt): string => (to === undefined ? '' : `failed after ${duration(to - from)}`)

const Disclosure = ({ label, children }: { readonly label: ReactNode; readonly children: ReactNode }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="mt-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex items-center gap-1 rounded-sm text-left"
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight
          size={14}
          aria-hidden="true"
          className={classNames('transition-transform', isOpen && 'rotate-90')}
        />
        <span>{label}</span>
      </button>
      {isOpen && children}
    </div>
  )
}

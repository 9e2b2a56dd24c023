// Shows why an Execution failed: the error with its stack and causes, and the attempts of the effect behind it.

import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Execution, ExecutionError } from '#sdk/index.ts'
import { duration, plural } from '../../../../parts/format.ts'
import { CopyButton } from '../../../../ui/copy-button.tsx'
import { LongText } from '../../../../ui/long-text.tsx'
import { classNames } from '../../../../ui/class-names.ts'
import type { Attempt, Command } from '../journal/commands.ts'
import type { JournalView } from '../journal/journal-query.ts'
import type { Journal } from '../journal/journal.ts'
import { WholeData } from '../entry/whole-data.tsx'
import { failedEffect, withoutEffectErrors } from './failed-effect.ts'
import { errorChain, errorIn } from './stack.ts'
import { StackView } from './stack-view.tsx'
import { visible } from '../../../../ui/visible.tsx'

export type ErrorPanelProps = {
  readonly execution: Execution
  readonly error: ExecutionError
  readonly view: JournalView
  readonly onSelect: (position: number) => void
}

export const ErrorPanel = ({ execution, error, view, onSelect }: ErrorPanelProps) => {
  const { journal } = view
  const effect = failedEffect(journal.commands, error)
  const failing = effect?.endPosition ?? journal.lines.findLast(({ type }) => type === 'execution_failed')?.position
  const chain = withoutEffectErrors(errorChain(error), effect)
  const showsOwnCode = effect === undefined && journal.isWhole()
  return (
    <section
      aria-label="Error"
      className="max-h-[45vh] min-h-20 overflow-auto max-sm:shrink-0 border-b border-failed/40 bg-failed-wash px-5 py-2.5"
    >
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <LongText
            text={error.message}
            cut="line-clamp-4"
            inside={(shown) => (
              <button
                type="button"
                title="Select the entry that failed"
                aria-disabled={failing === undefined || undefined}
                className="block max-w-[min(100%,120ch)] rounded-sm text-left break-words whitespace-pre-wrap not-aria-disabled:hover:underline"
                onClick={() => failing !== undefined && onSelect(failing)}
              >
                {shown}
              </button>
            )}
          >
            <span className="font-semibold text-failed">{visible(error.name ?? 'Failed')}</span>
            <span className="font-medium">: {visible(error.message)}</span>
          </LongText>
          <p className="font-mono text-xs text-soft">{visible(error.code)}</p>
        </div>
        <CopyButton label="Copy the error" text={() => errorText(error)} />
      </div>
      {(chain.length > 1 || chain[0]!.lines.length > 0) && (
        <div className="mt-1.5">
          <StackView
            // The history, once loaded, says whether to show the effect's code instead.
            key={String(showsOwnCode)}
            chain={chain}
            thrower={execution}
            headline={false}
            showsCode={showsOwnCode}
          />
        </div>
      )}
      {effect !== undefined && (
        <FailedEffect execution={execution} journal={journal} command={effect} onSelect={onSelect} />
      )}
    </section>
  )
}

/** The effect's last error, and all its attempts. */
const FailedEffect = ({
  execution,
  journal,
  command,
  onSelect,
}: {
  readonly execution: Execution
  readonly journal: Journal
  readonly command: Command
  readonly onSelect: (position: number) => void
}) => {
  const line = command.endPosition === undefined ? undefined : journal.lineAt(command.endPosition)
  return (
    <>
      {line !== undefined && (
        <div className="mt-1.5">
          <p className="text-soft">
            Thrown by effect <span className="font-medium text-ink">{visible(command.name)}</span>
          </p>
          <WholeData executionId={execution.id} journal={journal} line={line}>
            {(data) => {
              const error = errorIn(data)
              return error !== undefined && <StackView chain={errorChain(error)} thrower={execution} />
            }}
          </WholeData>
        </div>
      )}
      <Attempts command={command} onSelect={onSelect} />
    </>
  )
}

const errorText = ({ code, name = 'Error', message, stack }: ExecutionError): string =>
  stack === undefined
    ? `${name}: ${message}\n${code}`
    : `${stack.includes(message) ? stack : `${name}: ${message}\n${stack}`}\n${code}`

const SHOWN_ATTEMPTS = 100

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
        <span className="font-medium">{visible(command.name)}</span> failed after{' '}
        {plural(command.attempts.length, 'attempt')}
      </>
    }
  >
    {command.attempts.length > SHOWN_ATTEMPTS && (
      <p className="ml-5 text-soft">The last {SHOWN_ATTEMPTS}. The history has all of them.</p>
    )}
    <ol className="mt-1 ml-5 border-l border-failed/40">
      {command.attempts.slice(-SHOWN_ATTEMPTS).map((attempt) => (
        <li key={attempt.number} className="flex flex-wrap items-baseline gap-x-3 px-3 py-0.5">
          <button
            type="button"
            className="rounded-sm text-accent hover:underline"
            onClick={() => onSelect(attempt.position ?? command.position)}
          >
            Attempt {attempt.number}
          </button>
          <span className="tabular text-faint">{attemptDuration(attempt)}</span>
          <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">{visible(attempt.error)}</span>
        </li>
      ))}
    </ol>
  </Disclosure>
)

const attemptDuration = ({ from, to }: Attempt): string =>
  to === undefined ? '' : `failed after ${duration(to - from)}`

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
        <ChevronRight size={14} className={classNames('transition-transform', isOpen && 'rotate-90')} />
        <span>{label}</span>
      </button>
      {isOpen && children}
    </div>
  )
}

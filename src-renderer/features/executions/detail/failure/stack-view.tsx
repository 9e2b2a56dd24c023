// A chain of errors. Each frame links to the author's code and shows the lines around it.

import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useConnection } from '../../../../api/connection.ts'
import { artifactQuery } from '../../../../api/program-queries.ts'
import { useScope } from '../../../../api/scope.ts'
import { desktop } from '../../../../desktop.ts'
import { askDesktop } from '../../../../parts/ask-desktop.ts'
import { codeFrame, isForeign } from '../../../../parts/artifact-sources.ts'
import { classNames } from '../../../../ui/class-names.ts'
import { LongText } from '../../../../ui/long-text.tsx'
import { type SourcePlace, type StackLine, type Thrown, throwSiteIn } from './stack.ts'
import { visible } from '../../../../ui/visible.tsx'

/** The version whose code threw. */
export type Thrower = { readonly programId: string; readonly versionNumber: number }

type StackViewProps = {
  readonly chain: readonly Thrown[]
  readonly thrower: Thrower
  /** False when the first line is shown elsewhere. */
  readonly headline?: boolean
  /** Whether the code at the last cause is open at first. */
  readonly showsCode?: boolean
}

export const StackView = ({ chain, thrower, headline = true, showsCode = true }: StackViewProps) => {
  const root = chain.findLastIndex(({ lines }) => throwSiteIn(lines) >= 0)
  return (
    <div className="overflow-x-auto font-mono text-xs leading-5" tabIndex={0} role="group" aria-label="Stack">
      {chain.map((thrown, index) => (
        <Part
          key={index}
          thrown={thrown}
          thrower={thrower}
          isCause={index > 0}
          showsHeadline={headline || index > 0}
          showsCode={showsCode && index === root}
        />
      ))}
    </div>
  )
}

const Part = ({
  thrown: { headline, lines },
  thrower,
  isCause,
  showsHeadline,
  showsCode,
}: {
  readonly thrown: Thrown
  readonly thrower: Thrower
  readonly isCause: boolean
  readonly showsHeadline: boolean
  readonly showsCode: boolean
}) => {
  const throwSite = showsCode ? throwSiteIn(lines) : -1
  return (
    <>
      {showsHeadline && headline !== '' && (
        <div className={classNames('max-w-[120ch] break-words whitespace-pre-wrap', isCause && 'mt-1.5')}>
          <LongText text={headline} cut="line-clamp-4">
            {isCause && <span className="font-sans font-medium text-soft">Caused by </span>}
            {visible(headline)}
          </LongText>
        </div>
      )}
      <ol>
        {lines.map((line, index) => (
          <li key={index} className="whitespace-pre text-soft">
            <Line line={line} thrower={thrower} isThrowSite={index === throwSite} />
          </li>
        ))}
      </ol>
    </>
  )
}

const Line = ({
  line,
  thrower,
  isThrowSite,
}: {
  readonly line: StackLine
  readonly thrower: Thrower
  readonly isThrowSite: boolean
}) => {
  const [isOpen, setOpen] = useState(isThrowSite)
  // The code of a hosted service may be another than that in the project folder.
  const isLocal = useConnection().kind === 'local'
  if (line.kind === 'text') return visible(line.text)
  const { text, place } = line
  if (place === undefined) return <span className="pl-4 text-faint">{visible(text)}</span>
  return (
    <>
      <span className="flex items-center gap-3">
        {isForeign(place.path) ? (
          <span className="min-w-0 pl-4 wrap-anywhere whitespace-pre-wrap text-faint">{visible(text)}</span>
        ) : (
          <button
            type="button"
            aria-expanded={isOpen}
            className="flex min-w-0 items-start rounded-sm text-left wrap-anywhere whitespace-pre-wrap text-ink hover:text-accent hover:underline"
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight size={13} className={classNames('mt-1 mr-0.5 shrink-0', isOpen && 'rotate-90')} />
            {visible(text)}
          </button>
        )}
        {desktop !== undefined && isLocal && (
          <button
            type="button"
            className="shrink-0 rounded-sm font-sans text-accent hover:underline"
            aria-label={`Open ${place.path}:${place.line} in the editor`}
            onClick={() => askDesktop('The file could not be opened', () => desktop?.openInEditor(place))}
          >
            Open in editor
          </button>
        )}
      </span>
      {isOpen && <CodeFrame place={place} thrower={thrower} />}
    </>
  )
}

/** Of five lines of code. What is below stays where it is when they come, also when there are fewer. */
const FRAME_HEIGHT = 'min-h-27.5 my-1'

/** Shows the code as it was deployed; the file on disk may have changed. */
const CodeFrame = ({ place, thrower }: { readonly place: SourcePlace; readonly thrower: Thrower }) => {
  const { data: artifact, isPending } = useQuery(artifactQuery(useScope(), thrower.programId, thrower.versionNumber))
  const lines = artifact === undefined ? [] : codeFrame(artifact, place)
  if (isPending) return <div className={FRAME_HEIGHT} />
  if (lines.length === 0) return <p className="pl-8 font-sans text-faint">This version’s source is not available.</p>
  return (
    <pre
      aria-label={`${place.path}, line ${place.line}`}
      tabIndex={0}
      className={classNames(
        'shades-what-is-cut ml-4 w-fit min-w-[min(20rem,100%)] max-w-[calc(100%-1rem)] overflow-x-auto rounded-md border border-line py-1',
        FRAME_HEIGHT,
      )}
    >
      <code className="block w-fit min-w-full">
        {lines.map(({ number, text, isPlace }) => (
          <span
            key={number}
            className={classNames('block pr-3', isPlace && 'bg-failed-wash font-medium text-ink forced-colors:outline')}
          >
            <span
              className={classNames(
                'sticky left-0 mr-1 inline-block w-13 pr-2 text-right text-faint select-none',
                isPlace ? 'bg-failed-wash' : 'bg-page',
              )}
            >
              {number}
            </span>
            {isPlace ? <Marked text={text} column={place.column} /> : visible(text)}
            {'\n'}
          </span>
        ))}
      </code>
    </pre>
  )
}

/** The word at a column, underlined. */
const Marked = ({ text, column }: { readonly text: string; readonly column: number }) => {
  const before = text.slice(0, column - 1)
  const word = /^(\w+|.)?/.exec(text.slice(column - 1))?.[0] ?? ''
  return (
    <>
      {visible(before)}
      <span ref={scrollIntoFrame} className="text-failed underline underline-offset-4">
        {visible(word)}
      </span>
      {visible(text.slice(before.length + word.length))}
    </>
  )
}

/** Sideways only: the page stays where it is. */
const scrollIntoFrame = (mark: HTMLElement | null): void => {
  const frame = mark?.closest('pre')
  if (mark === null || !frame) return
  const beyondPx = mark.getBoundingClientRect().right - frame.getBoundingClientRect().right
  if (beyondPx > 0) frame.scrollLeft += beyondPx + frame.clientWidth / 2
}

import { desktop } from '../../../../desktop.ts'
import { askDesktop } from '../../../../parts/ask-desktop.ts'
import { readStack, type StackLine, type Thrown } from './stack.ts'

/** A stack with its causes. `headline: false` leaves out the first line, where it is shown beside it. */
export const StackView = ({ stack, headline = true }: { readonly stack: string; readonly headline?: boolean }) => (
  <div className="overflow-x-auto font-mono text-xs leading-5" tabIndex={0} role="group" aria-label="Stack">
    {readStack(stack).map((thrown, index) => (
      <Part key={index} thrown={thrown} isCause={index > 0} showsHeadline={headline || index > 0} />
    ))}
  </div>
)

const Part = ({
  thrown,
  isCause,
  showsHeadline,
}: {
  readonly thrown: Thrown
  readonly isCause: boolean
  readonly showsHeadline: boolean
}) => (
  <>
    {showsHeadline && thrown.headline !== '' && (
      <p className="whitespace-pre">
        {isCause && <span className="font-sans font-medium text-soft">Caused by </span>}
        {thrown.headline}
      </p>
    )}
    <ol>
      {thrown.lines.map((line, index) => (
        <li key={index} className="flex items-center gap-2 whitespace-pre text-soft">
          <Line line={line} />
        </li>
      ))}
    </ol>
  </>
)

const Line = ({ line }: { readonly line: StackLine }) => {
  if (line.kind === 'text') return line.text
  const { text, place } = line
  return (
    <>
      <span className={place === undefined ? 'pl-4 text-faint' : 'pl-4 text-ink'}>{text}</span>
      {desktop !== undefined && place !== undefined && (
        <button
          type="button"
          className="rounded-sm font-sans text-accent hover:underline"
          aria-label={`Open ${place.path}:${place.line} in the editor`}
          onClick={() => askDesktop('The file could not be opened', () => desktop?.openInEditor(place))}
        >
          Open in editor
        </button>
      )}
    </>
  )
}

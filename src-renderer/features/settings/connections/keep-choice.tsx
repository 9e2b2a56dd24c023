// How a token is kept, as far as the system leaves a choice.

import type { Keep, Storing, TokenPlace } from '#runtime/connections/models.ts'

/** What happens to the token where there is nothing to choose. */
export const keepHint = (storing: Storing): string => {
  switch (storing) {
    case 'keychain':
      return 'Your system’s keychain keeps it. Nobody can read it back here.'
    case 'obfuscated':
      return 'Nobody can read it back here.'
    case 'none':
      return 'It is kept in memory until the runtime stops. Nobody can read it back here.'
  }
}

/** undefined if the token is kept as the user wanted. */
export const keptOtherwise = (wanted: Keep, place: TokenPlace): string | undefined =>
  wanted === 'stored' && place === 'run'
    ? 'The keychain could not be used: the token is kept until the app is closed.'
    : undefined

/** The first choice: storing only where a keychain protects it. */
export const firstKeep = (storing: Storing): Keep => (storing === 'keychain' ? 'stored' : 'run')

const CHOICES: readonly { readonly keep: Keep; readonly label: string; readonly note: string }[] = [
  { keep: 'run', label: 'Keep it for this run', note: 'You enter it again after the app has been closed.' },
  { keep: 'stored', label: 'Store it anyway', note: 'Programs that you run can read it.' },
]

export const KeepChoice = ({ keep, onChoose }: { readonly keep: Keep; readonly onChoose: (keep: Keep) => void }) => (
  <fieldset className="flex flex-col gap-1.5 rounded-md border border-waiting/40 bg-waiting-wash px-3 py-2">
    <legend className="sr-only">How the token is kept</legend>
    <p className="text-waiting">Your system has no keychain: the token would only be obfuscated.</p>
    {CHOICES.map((choice) => (
      <label key={choice.keep} className="flex items-baseline gap-2">
        <input
          type="radio"
          name="keep"
          checked={keep === choice.keep}
          onChange={() => onChoose(choice.keep)}
          className="accent-accent"
        />
        <span>
          {choice.label} <span className="text-soft">{choice.note}</span>
        </span>
      </label>
    ))}
  </fieldset>
)

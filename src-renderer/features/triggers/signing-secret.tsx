import { CopyButton } from '../../ui/copy-button.tsx'
import { TextInput } from '../../ui/field.tsx'

/** A signing secret, which is shown once. Its dialog closes by button only. */
export const SigningSecret = ({ secret }: { readonly secret: string }) => (
  <div className="flex flex-col gap-2">
    <div className="flex items-center gap-1">
      <TextInput
        readOnly
        aria-label="Signing secret"
        value={secret}
        autoComplete="off"
        onFocus={(event) => event.currentTarget.select()}
        className="flex-1 font-mono text-xs"
      />
      <CopyButton label="Copy the signing secret" text={secret} isFirst />
    </div>
    <p className="rounded-md bg-waiting-wash px-3 py-1.5 text-waiting">
      Copy it now: it is not shown again. Keep it as safe as a password.
    </p>
  </div>
)

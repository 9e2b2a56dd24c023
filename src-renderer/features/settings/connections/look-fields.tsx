// The fields of a connection that can change: its name, its colour, and whether it is production.

import { useId } from 'react'
import type { ConnectionColour } from '#runtime/connections/models.ts'
import { COLOURS, connectionLook } from '../../../parts/connection-look.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Field, TextInput } from '../../../ui/field.tsx'
import { Switch } from '../../../ui/switch.tsx'

export type Look = { readonly name: string; readonly colour: ConnectionColour; readonly isProduction: boolean }

type LookProps = { readonly look: Look; readonly onChange: (look: Look) => void }

const LONGEST_NAME = 60

export const NameField = ({ look, onChange, fault }: LookProps & { readonly fault: string | undefined }) => (
  <Field label="Name" fault={fault}>
    <TextInput
      value={look.name}
      maxLength={LONGEST_NAME}
      autoComplete="off"
      spellCheck={false}
      placeholder="Acme production"
      onChange={(event) => onChange({ ...look, name: event.currentTarget.value })}
    />
  </Field>
)

export const ColourField = ({ look, onChange }: LookProps) => (
  <fieldset className="flex flex-col gap-1.5">
    <legend className="mb-1 font-medium">Colour</legend>
    <div className="flex flex-wrap gap-x-4 gap-y-1.5">
      {COLOURS.map(({ colour, label }) => (
        <label key={colour} className="flex items-center gap-1.5">
          <input
            type="radio"
            name="colour"
            checked={look.colour === colour}
            onChange={() => onChange({ ...look, colour })}
            className="accent-accent"
          />
          <span
            aria-hidden="true"
            className={classNames('size-3 rounded-full forced-color-adjust-none', connectionLook(colour).dot)}
          />
          {label}
        </label>
      ))}
    </div>
  </fieldset>
)

export const ProductionField = ({ look, onChange }: LookProps) => {
  const note = useId()
  return (
    <div className="flex items-start gap-4">
      <div className="min-w-0 flex-1">
        <p className="font-medium">Production</p>
        <p id={note} className="text-xs text-faint">
          The window gets a coloured edge. Before anything is cancelled, deleted or deployed, you type the name.
        </p>
      </div>
      <Switch
        label="Production"
        checked={look.isProduction}
        onChange={(isProduction) => onChange({ ...look, isProduction })}
      />
    </div>
  )
}

// How connections look: each hosted one has a colour that its user chose, local has none.

import type { ConnectionColour } from '#runtime/connections/models.ts'

/** In the order of the dialog. */
export const COLOURS: readonly { readonly colour: ConnectionColour; readonly label: string }[] = [
  { colour: 'violet', label: 'Violet' },
  { colour: 'blue', label: 'Blue' },
  { colour: 'teal', label: 'Teal' },
  { colour: 'green', label: 'Green' },
  { colour: 'orange', label: 'Orange' },
  { colour: 'pink', label: 'Pink' },
]

type Look = { readonly text: string; readonly wash: string; readonly dot: string; readonly edge: string }

const LOOKS: Readonly<Record<ConnectionColour, Look>> = {
  violet: { text: 'text-violet', wash: 'bg-violet-wash', dot: 'bg-violet', edge: 'border-violet' },
  blue: { text: 'text-blue', wash: 'bg-blue-wash', dot: 'bg-blue', edge: 'border-blue' },
  teal: { text: 'text-teal', wash: 'bg-teal-wash', dot: 'bg-teal', edge: 'border-teal' },
  green: { text: 'text-green', wash: 'bg-green-wash', dot: 'bg-green', edge: 'border-green' },
  orange: { text: 'text-orange', wash: 'bg-orange-wash', dot: 'bg-orange', edge: 'border-orange' },
  pink: { text: 'text-pink', wash: 'bg-pink-wash', dot: 'bg-pink', edge: 'border-pink' },
}

const LOCAL: Look = { text: 'text-ink', wash: '', dot: 'bg-cancelled-fill', edge: 'border-transparent' }

/** null: the local runtime. */
export const connectionLook = (colour: ConnectionColour | null): Look => (colour === null ? LOCAL : LOOKS[colour])

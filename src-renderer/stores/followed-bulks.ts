// The bulk action that each project's list follows. It goes on while other screens are shown, and when the page is loaded again.

import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'
import { keptUnder } from './kept-under.ts'

type Place = { readonly connection: { readonly id: string }; readonly projectId: string | null }

export type FollowedBulk = {
  readonly id: string
  /** By the service's clock, in ISO 8601; up to 2 s too early. */
  readonly startedAt: string
  /** Where it is known that all its Executions belong to one Program. */
  readonly programId?: string | undefined
}

type FollowedBulks = { readonly bulks: Readonly<Record<string, FollowedBulk>> }

const useFollowedBulks = create<FollowedBulks>()(
  persist((): FollowedBulks => ({ bulks: {} }), {
    name: 'wes-bulks',
    // Of this tab alone.
    storage: createJSONStorage(() => sessionStorage),
  }),
)

/** JSON, so that two different pairs never have the same key. */
const keyOf = ({ connection, projectId }: Place): string =>
  JSON.stringify([keptUnder(connection.id), projectId ?? 'default'])

export const useFollowedBulk = (place: Place): FollowedBulk | undefined =>
  useFollowedBulks(({ bulks }) => bulks[keyOf(place)])

export const followBulk = (place: Place, bulk: FollowedBulk): void => {
  useFollowedBulks.setState(({ bulks }) => ({ bulks: { ...bulks, [keyOf(place)]: bulk } }))
}

export const forgetBulk = (place: Place): void => forgetBulks((key) => key === keyOf(place))

/** Of all its projects: a later connection with the same id may be another service, or of another user. */
export const forgetBulksOf = (connection: string): void =>
  forgetBulks((key) => (JSON.parse(key) as readonly unknown[])[0] === keptUnder(connection))

const forgetBulks = (isOver: (key: string) => boolean): void => {
  useFollowedBulks.setState(({ bulks }) => ({
    bulks: Object.fromEntries(Object.entries(bulks).filter(([key]) => !isOver(key))),
  }))
}

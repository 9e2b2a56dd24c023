// The bulk action that each project's list follows. It goes on while other screens are shown.

import { create } from 'zustand'
import { keptUnder } from './kept-under.ts'

type Place = { readonly connection: { readonly id: string }; readonly projectId: string | null }

type FollowedBulks = { readonly ids: Readonly<Record<string, string>> }

const useFollowedBulks = create<FollowedBulks>()(() => ({ ids: {} }))

/** JSON, so that two different pairs never have the same key. */
const keyOf = ({ connection, projectId }: Place): string =>
  JSON.stringify([keptUnder(connection.id), projectId ?? 'default'])

export const useFollowedBulk = (place: Place): string | undefined => useFollowedBulks(({ ids }) => ids[keyOf(place)])

export const followBulk = (place: Place, id: string): void =>
  useFollowedBulks.setState(({ ids }) => ({ ids: { ...ids, [keyOf(place)]: id } }))

export const forgetBulk = (place: Place): void =>
  useFollowedBulks.setState(({ ids }) => {
    const { [keyOf(place)]: _, ...others } = ids
    return { ids: others }
  })

// The database of a service, for whoever runs the service: in the data folder of `wes serve`, whether that runs or not, or at
// an address. Nothing asks for a token here.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pause } from '../../src-runtime/shared/pause.ts'
import { DataDirectoryInUseError } from '../../src-runtime/shared/runtime.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { startEmbeddedPostgres } from '../boot/embedded-postgres.ts'
import { freePorts } from '../boot/free-ports.ts'
import { postgresFolderIn, runningDatabaseUrl } from '../boot/own-services.ts'
import { openServeFolder } from '../boot/serve-folder.ts'
import { migrateDatabase } from '../store/migrate.ts'
import { openHostedStore } from '../store/open-hosted-store.ts'
import type { HostedStore } from '../store/store.ts'

export type Place = { readonly folder: string } | { readonly databaseUrl: string }

type OperatedStore = { readonly store: HostedStore; close(): Promise<void> }

/** The folder holds no data of a service. */
export class NoServiceDataError extends Error {
  override readonly name = 'NoServiceDataError'
}

/** The database is there, and this release cannot work with it. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError'
}

/** A service that has the folder may be starting, or starting its PostgreSQL again; another command will end soon. */
const LATEST_MS = 30_000
const PAUSE_MS = 100
const CONNECTIONS = { app: 1, worker: 1 }

/** Closes the store once `act` has settled. */
export const onOperatedStore = async <Result>(
  place: Place,
  act: (store: HostedStore) => Promise<Result>,
): Promise<Result> => {
  const { store, close } = await openPlace(place)
  try {
    return await act(store)
  } finally {
    await close()
  }
}

const openPlace = async (place: Place): Promise<OperatedStore> => {
  if ('databaseUrl' in place) return open(place.databaseUrl, async () => {})
  const folder = resolve(place.folder)
  if (!existsSync(join(postgresFolderIn(folder), 'data'))) {
    throw new NoServiceDataError(`${folder} does not hold the data of a service`)
  }
  const deadline = performance.now() + LATEST_MS
  for (;;) {
    try {
      return await openFolder(folder)
    } catch (error) {
      const mayPass = error instanceof DataDirectoryInUseError || error instanceof StoreUnavailableError
      if (!mayPass || performance.now() > deadline) throw error
      await pause(PAUSE_MS)
    }
  }
}

const openFolder = async (folder: string): Promise<OperatedStore> => {
  let owned: { release(): void }
  try {
    owned = openServeFolder(folder)
  } catch (error) {
    const isServed = error instanceof DataDirectoryInUseError && error.owner.url !== undefined
    const url = isServed ? runningDatabaseUrl(folder) : undefined
    if (url === undefined) throw error
    return open(url, async () => {})
  }
  try {
    return await openStopped(folder, owned.release)
  } catch (error) {
    owned.release()
    throw error
  }
}

/** The folder belongs to this process until the store is closed. */
const openStopped = async (folder: string, release: () => void): Promise<OperatedStore> => {
  const [port = 0] = await freePorts([0])
  const postgres = await startEmbeddedPostgres({ folder: postgresFolderIn(folder), port })
  try {
    await migrateDatabase({ ownerUrl: postgres.ownerUrl })
    return await open(postgres.ownerUrl, async () => {
      await postgres.stop()
      release()
    })
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

const open = async (url: string, stop: () => Promise<void>): Promise<OperatedStore> => {
  const store = await openHostedStore({ url, connections: CONNECTIONS }).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError || !(error instanceof Error)) throw error
    throw new UnusableDatabaseError(error.message, { cause: error })
  })
  return { store, close: () => store.close().then(stop) }
}

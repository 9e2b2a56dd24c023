// Decides which Executions may have a turn in flight. Programs take turns; work left from the last run does not delay
// new work; slow Executions that wait for a host of their own take no room from the others.

import { createFairQueue } from '../shared/fair-queue.ts'

/** Turns in flight at once. For further Executions only the key is kept. */
const MOST_IN_FLIGHT = 512
/** Up to this many begin without checking their Program. */
const FREE_FOR_ALL = 128
/** Limits of one Program, of all work left from the last run, and of one Program's slow Executions. */
const MOST_OF_PROGRAM = 256
const MOST_RECOVERED = 128
const MOST_SLOW_OF_PROGRAM = 256

export type Turn = {
  /** The Execution is slow, and waits for a host of its own. */
  onAlone(): void
  end(): void
}

export type Admission = {
  /** Whether a turn of the Execution may begin now. If not, its key is handed out once there is room. */
  admits(key: number, programId: () => string | undefined, isRecovered?: boolean): boolean
  begin(key: number, programId: string): Turn
  /** The admitted Execution has nothing to deliver yet: its next turn does not count as recovered work. */
  release(key: number): void
}

export const createAdmission = (onRoom: (key: number, isRecovered: boolean) => void): Admission => {
  const inFlight = new Map<string, number>()
  const slow = new Map<string, number>()
  const recovered = new Set<number>()
  let total = 0
  let totalRecovered = 0
  const waitingNew = createFairQueue<number>()
  const waitingRecovered = createFairQueue<number>()
  const waiting = new Set<number>()

  const count = (counts: Map<string, number>, programId: string, by: 1 | -1): void => {
    const now = (counts.get(programId) ?? 0) + by
    if (now === 0) counts.delete(programId)
    else counts.set(programId, now)
  }

  const hasRoom = (programId: string): boolean =>
    (inFlight.get(programId) ?? 0) < MOST_OF_PROGRAM && (slow.get(programId) ?? 0) < MOST_SLOW_OF_PROGRAM

  const recoveredHaveRoom = (): boolean => totalRecovered < MOST_RECOVERED

  /** New and recovered work alternate. */
  let isRecoveredsTurn = false
  const next = (): { readonly key: number; readonly isRecovered: boolean } | undefined => {
    if (total >= MOST_IN_FLIGHT) return undefined
    isRecoveredsTurn = !isRecoveredsTurn
    for (const isRecovered of [isRecoveredsTurn, !isRecoveredsTurn]) {
      if (isRecovered && !recoveredHaveRoom()) continue
      const key = (isRecovered ? waitingRecovered : waitingNew).take(hasRoom)
      if (key !== undefined) return { key, isRecovered }
    }
    return undefined
  }

  let isLettingIn = false
  const letIn = (): void => {
    if (isLettingIn) return
    isLettingIn = true
    for (let one = next(); one !== undefined; one = next()) {
      waiting.delete(one.key)
      onRoom(one.key, one.isRecovered)
    }
    isLettingIn = false
  }

  return {
    admits: (key, programId, isRecovered = false) => {
      if (total < FREE_FOR_ALL && slow.size === 0 && !isRecovered) return true
      if (waiting.has(key)) return false
      const id = programId()
      // The Execution was deleted; the worker finds that out when it takes the key.
      if (id === undefined) return true
      if (total < MOST_IN_FLIGHT && hasRoom(id) && (!isRecovered || recoveredHaveRoom())) {
        if (isRecovered) recovered.add(key)
        return true
      }
      waiting.add(key)
      const queue = isRecovered ? waitingRecovered : waitingNew
      queue.add(id, key)
      return false
    },
    release: (key) => {
      recovered.delete(key)
    },
    begin: (key, programId) => {
      const isRecovered = recovered.delete(key)
      let counts: Map<string, number> | undefined = inFlight
      count(inFlight, programId, 1)
      total += 1
      if (isRecovered) totalRecovered += 1
      const leaveShared = (): void => {
        count(inFlight, programId, -1)
        total -= 1
        if (isRecovered) totalRecovered -= 1
      }
      return {
        onAlone: () => {
          if (counts !== inFlight) return
          leaveShared()
          counts = slow
          count(slow, programId, 1)
          letIn()
        },
        end: () => {
          if (counts === inFlight) leaveShared()
          else if (counts === slow) count(slow, programId, -1)
          counts = undefined
          letIn()
        },
      }
    },
  }
}

// Ids are TypeIDs: a prefix and a UUIDv7 in base32. They sort by the time at which they were made, and within a process they
// always increase, even if the clock goes back. What they name may be stored later, and in another order.

import { TypeID } from 'typeid-js'
import { V7Generator } from 'uuidv7'

export type IdPrefix = 'prj' | 'ver' | 'exe' | 'evt' | 'trg' | 'wsp' | 'blk' | 'tok'

export type Ids = (prefix: IdPrefix) => string

export const createIds = (now: () => number): Ids => {
  const generator = new V7Generator(createRandomNumbers())
  let latest = 0
  return (prefix) => {
    latest = Math.max(latest, now())
    const uuid = generator.generateOrResetWithTs(latest)
    return TypeID.fromUUIDBytes(prefix, uuid.bytes).toString()
  }
}

/** From the system, many at a time: asking it for a few takes as long as making the rest of an id. */
const createRandomNumbers = (): { nextUint32(): number } => {
  const numbers = new Uint32Array(1_024)
  let used = numbers.length
  return {
    nextUint32: () => {
      if (used === numbers.length) {
        crypto.getRandomValues(numbers)
        used = 0
      }
      return numbers[used++]!
    },
  }
}

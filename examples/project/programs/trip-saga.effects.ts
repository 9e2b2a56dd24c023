import { NonRetryableError } from 'workflow-execution-service'

type Part = { readonly trip: string; readonly what: 'train' | 'hotel' | 'tour' }

export async function book({ trip, what }: Part): Promise<void> {
  if (trip.includes('impossible') && what === 'tour') throw new NonRetryableError('the tour is sold out')
  console.log(`booked the ${what} of ${trip}`)
}

/** Cancelling a booking that does not exist is not an error. */
export async function takeBack({ trip, what }: Part): Promise<void> {
  console.log(`took back the ${what} of ${trip}`)
}

import { NonRetryableError } from 'workflow-execution-service'

type Part = { readonly trip: string; readonly what: 'train' | 'hotel' | 'tour' }

export async function book({ trip, what }: Part): Promise<void> {
  if (trip.includes('impossible') && what === 'tour') throw new NonRetryableError('the tour is sold out')
  console.log(`booked the ${what} of ${trip}`)
}

/** Taking back what was never booked, or is gone already, is no failure. */
export async function takeBack({ trip, what }: Part): Promise<void> {
  console.log(`took back the ${what} of ${trip}`)
}

// programs/order.effects.ts
export async function chargeCard(input: { orderId: string; cents: number }) {
  return { receipt: `receipt for ${input.orderId}` } // any Node API, any npm package
}

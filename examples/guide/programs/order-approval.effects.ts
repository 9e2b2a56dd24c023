export async function chargeCard({ orderId }: { orderId: string; cents: number }): Promise<{ receipt: string }> {
  return { receipt: `receipt-${orderId}` }
}

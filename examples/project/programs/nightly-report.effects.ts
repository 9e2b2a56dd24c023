/** What a shop sold. Stands for a query that takes its time. */
export async function readSales(input: { shop: number; night: number }): Promise<{ cents: number }> {
  await new Promise((resolve) => setTimeout(resolve, 1))
  return { cents: input.shop * 100 + input.night }
}

export async function sendReport(input: { night: number; totalCents: number }): Promise<void> {
  console.log(`night ${input.night}: ${input.totalCents} cents`)
}

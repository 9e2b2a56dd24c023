export async function sendMail(input: { to: string; template: 'welcome' | 'reminder' | 'goodbye' }): Promise<void> {
  console.log(`${input.template} to ${input.to}`)
}

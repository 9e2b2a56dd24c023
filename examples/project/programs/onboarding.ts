// #region program
import { defineEvent, defineProgram } from 'workflow-execution-service'
import { z } from 'zod'
import { sendMail } from './onboarding.effects.ts'

export const profileCompleted = defineEvent('profile-completed', z.object({ name: z.string() }))

export default defineProgram(
  {
    id: 'onboarding',
    description: 'Welcomes, and reminds who is late',
    input: z.object({ email: z.string(), remindAfterMs: z.number().int().positive().optional() }),
    events: [profileCompleted],
  },
  async (ctx, { email, remindAfterMs = 24 * 60 * 60 * 1000 }) => {
    await sendMail({ to: email, template: 'welcome' })
    // One wait for the whole time, so that the event is found after any of the reminders.
    const completed = ctx.waitForEvent(profileCompleted)
    for (let reminders = 0; reminders < 3; reminders += 1) {
      const first = await Promise.race([completed, ctx.sleep(remindAfterMs).then(() => 'late' as const)])
      if (first !== 'late') return { status: 'completed', name: first.name, reminders } as const
      await sendMail({ to: email, template: reminders < 2 ? 'reminder' : 'goodbye' })
    }
    return { status: 'given-up' } as const
  },
)
// #endregion program

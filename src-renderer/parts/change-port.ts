import { desktop } from '../desktop.ts'
import { notify } from '../ui/toasts.tsx'
import { askDesktop } from './ask-desktop.ts'

/** Starts the runtime on another port. A toast says that it is ready: on a narrow page, the rail with its state is closed. */
export const changePort = (port: number): void =>
  askDesktop('The port was not changed', async () => {
    await desktop?.runtime.usePort(port)
    const state = await desktop?.runtime.state()
    if (state?.kind === 'ready') notify(`Runtime ready on port ${state.port}`)
  })

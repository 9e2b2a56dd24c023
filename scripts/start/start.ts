// `npm start` from the wish to the exit code, on ports, so that every branch can be tried on any machine.

import type { TargetName } from '../build/targets.ts'
import { chooseHome, type Home, type Machine, withoutDesktop, type WithoutDesktop } from './choose-home.ts'
import type { ElectronBinary } from './electron-binary.ts'
import type { Wish } from './read-wish.ts'
import type { ElectronRun } from './run-electron.ts'

export type Ports = {
  machine(): Machine
  electron(): ElectronBinary
  /** Why the download host cannot be reached. */
  whyUnreachable(): Promise<string | undefined>
  /** Why it failed. */
  download(): Promise<string | undefined>
  build(names: readonly TargetName[]): Promise<void>
  runDesktop(executable: string): Promise<ElectronRun>
  /** Answers the exit code. */
  runBrowser(why: string | undefined): Promise<number>
  tell(line: string): void
  complain(line: string): void
}

export const start = async (wish: Pick<Wish, 'home'>, ports: Ports): Promise<number> => {
  const home = await decide(wish.home, ports)
  if (home.kind !== 'desktop') return withoutWindow(home, ports)
  await ports.build(['sdk', 'dashboard', 'desktop'])
  const run = await ports.runDesktop(home.executable)
  return run.kind === 'ended' ? run.exitCode : withoutWindow(withoutDesktop(wish.home, run.why), ports)
}

const withoutWindow = async (home: WithoutDesktop, ports: Ports): Promise<number> => {
  if (home.kind === 'browser') {
    await ports.build(['sdk', 'dashboard'])
    return ports.runBrowser(home.why)
  }
  ports.complain(`Desktop window unavailable: ${home.why}.`)
  return 1
}

const decide = async (wish: Wish['home'], ports: Ports): Promise<Exclude<Home, { kind: 'download' }>> => {
  const home = chooseHome(wish, ports.machine(), ports.electron())
  if (home.kind !== 'download') return home
  const unreachable = await ports.whyUnreachable()
  if (unreachable !== undefined) return withoutDesktop(wish, `${home.why} and ${unreachable}`)
  ports.tell(`Downloading Electron ${home.version}, once…`)
  const failure = await ports.download()
  if (failure !== undefined) return withoutDesktop(wish, `${home.why} and ${failure}`)
  const again = chooseHome(wish, ports.machine(), ports.electron())
  return again.kind === 'download' ? withoutDesktop(wish, `${again.why}, even after a download`) : again
}
